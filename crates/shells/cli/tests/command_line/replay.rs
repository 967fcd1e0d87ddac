use serde_json::Value;

use crate::validator::assert_valid;
use crate::{Place, assert_contains};

/// A place with the trails of all models that have a violation.
fn with_trails(test: &str) -> Place {
    let place = Place::new(test);
    for model in ["mutex", "blocked", "fault"] {
        assert_eq!(place.run(&format!("check {model}.pml --plain -q")).code, Some(1));
    }
    place
}

#[test]
fn violations_happen_again() {
    let place = with_trails("again");
    for trail in ["mutex.assertions", "blocked.deadlock", "fault.assertions"] {
        let finished = place.run(&format!("replay {trail}.trail.json --check"));
        assert_eq!(finished.code, Some(0), "{}", finished.stdout);
        assert_contains(&finished.stdout, &["it happens again"]);
    }
    let shorter = place.read("mutex.assertions.trail.json");
    let mut shorter: Value = serde_json::from_str(&shorter).unwrap();
    shorter["steps"].as_array_mut().unwrap().pop();
    place.write("shorter.json", &shorter.to_string());
    let finished = place.run("replay shorter.json --check");
    assert_eq!(finished.code, Some(1));
    assert_contains(&finished.stdout, &["it does not happen again"]);
}

#[test]
fn the_whole_run_is_shown() {
    let place = with_trails("whole_run");
    let finished = place.run("replay mutex.assertions.trail.json");
    assert_eq!(finished.code, Some(0));
    assert_contains(&finished.stdout, &["     1  user[1]  mutex.pml:10  (rounds<2)\n", "critical = 2"]);
    let finished = place.run("replay fault.assertions.trail.json");
    assert_contains(&finished.stdout, &["error: array index 3 is out of range"]);
    let again = place.run("replay fault.assertions.trail.json --format json");
    assert_eq!(again.stdout, place.read("fault.assertions.trail.json"));
    assert_valid(&again.json(), "trail-1.json", None);
    let chart = place.run("replay mutex.assertions.trail.json --chart svg -o chart.svg");
    assert_eq!(chart.code, Some(0));
    assert_contains(&place.read("chart.svg"), &["<svg"]);
}

#[test]
fn one_can_walk_along_a_trail() {
    let place = with_trails("walk");
    let input = "n 3\nv\nb\np\ng 18\n\nb\nw\nc\ng 0\nb\nwhat\nq\n";
    let finished = place.run_with_input("replay mutex.assertions.trail.json -i", input);
    assert_eq!(finished.code, Some(0));
    let parts = [
        "0/18> n 3\n     1  user[1]",
        "3/18> v\n  critical = 0\n  busy = true\n",
        "3/18> b\n2/18> p\n1/18> g 18\n18/18> \nthis is the end of the trail: assertion violated",
        "17/18> w\n  user[0]  mutex.pml:14  assert(critical == 1);\n",
        "17/18> c\n  there are no channels\n",
        "0/18> b\nthis is the start\n",
        "`what` is no command",
    ];
    assert_contains(&finished.stdout, &parts);
    // The last step of this one cannot be completed; going back must count it all the same.
    let finished = place.run_with_input("replay fault.assertions.trail.json -i", "n 5\nb\nn\n");
    assert_contains(&finished.stdout, &["2/2> b\n1/2> n\n     2  main[0]"]);
}

#[test]
fn a_trail_is_for_one_model() {
    let place = with_trails("changed");
    let model = place.read("mutex.pml");
    place.write("mutex.pml", &model.replace("rounds < 2", "rounds < 3"));
    let finished = place.run("replay mutex.assertions.trail.json");
    assert_eq!(finished.code, Some(4));
    assert_contains(&finished.stderr, &["not the one the trail was written for", "--force"]);
    assert_eq!(place.run("replay mutex.assertions.trail.json --force --check").code, Some(0));
    place.write("original.pml", &model);
    assert_eq!(place.run("replay mutex.assertions.trail.json --model original.pml --check").code, Some(0));
}

#[test]
fn the_model_is_found_from_the_trail() {
    let place = Place::new("elsewhere");
    std::fs::create_dir(place.folder.join("sub")).unwrap();
    assert_eq!(place.run("check blocked.pml -q --trail sub/t.json").code, Some(1));
    std::fs::rename(place.folder.join("blocked.pml"), place.folder.join("sub/blocked.pml")).unwrap();
    assert_eq!(place.run("replay sub/t.json --check").code, Some(0));
}

#[test]
fn what_is_no_trail_is_refused() {
    let place = Place::new("no_trail");
    place.write("broken.json", "{\"schema\": \"allways/trail/1\"");
    place.write("other.json", "{\"schema\": \"allways/result/1\"}");
    for (trail, why) in [
        ("mutex.pml", "it is not a trail"),
        ("broken.json", "it is not a trail"),
        ("other.json", "its schema is `allways/result/1`, not `allways/trail/1` or `allways/schedule/1`"),
        ("absent.json", "cannot read the trail absent.json"),
    ] {
        let finished = place.run(&format!("replay {trail}"));
        assert_eq!(finished.code, Some(4));
        assert_contains(&finished.stderr, &[why]);
    }
}

#[test]
fn a_lasso_is_shown_with_what_the_property_saw() {
    let place = Place::new("replay_lasso");
    assert_eq!(place.run("check formula.pml -p assertions --ltl <>[](x==3)").code, Some(1));
    let shown = place.run("replay formula.ltl_option.trail.json").stdout;
    assert_contains(&shown, &["`x == 3` becomes true", "the cycle starts here"]);
}
