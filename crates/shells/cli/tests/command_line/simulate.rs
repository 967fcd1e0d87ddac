use crate::{Place, assert_contains};

#[test]
fn a_run_ends_in_one_of_several_ways() {
    let place = Place::new("endings");
    for (arguments, code, words) in [
        ("handshake.pml", 0, "finished properly"),
        ("handshake.pml --steps 2", 0, "after 2 steps: step limit reached"),
        ("blocked.pml", 1, "after 0 steps: invalid end state"),
        ("mutex.pml --seed 3", 1, "assertion violated: (critical==1)"),
        ("fault.pml -D unused --seed 13", 1, "array index 3 is out of range"),
    ] {
        let finished = place.run(&format!("simulate {arguments}"));
        assert_eq!(finished.code, Some(code), "{arguments}: {}", finished.stdout);
        assert_contains(&finished.stdout, &[words]);
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let place = Place::new("seeds");
    let run = |seed: u32| place.run(&format!("simulate mutex.pml --seed {seed}"));
    assert_eq!(run(7).stdout, run(7).stdout);
    assert_ne!(run(7).stdout, run(8).stdout);
    assert_eq!(run(7).stderr, "seed 7\n");
}

#[test]
fn the_output_can_be_selected() {
    let place = Place::new("selection");
    let stdout = |arguments: &str| place.run(&format!("simulate handshake.pml --seed 3 {arguments}")).stdout;
    assert_eq!(stdout("--show printf"), "the answer is 4\n");
    assert_contains(
        &stdout("-s -r"),
        &["client[0] sent ask,3 to request", "server[1] received ask,3 from request"],
    );
    assert!(!stdout("-p").contains("->"));
    assert_contains(&stdout("-g"), &["reply: empty -> [answer,4]"]);
    assert_contains(&stdout("-c"), &["request!ask,3"]);
}

#[test]
fn a_run_can_be_repeated() {
    let place = Place::new("repeated");
    for seed in 1..=6 {
        let finished = place.run(&format!("simulate mutex.pml --seed {seed} --trail run.json"));
        assert!(matches!(finished.code, Some(0 | 1)));
        assert_eq!(place.run("replay run.json --check").code, Some(0));
    }
}

#[test]
fn one_can_choose_the_steps() {
    let place = Place::new("choose");
    let finished = place.run_with_input("simulate handshake.pml -i", "1\nb\nb\n9\n1\nv\nc\np\nr 20\nq\n");
    assert_eq!(finished.code, Some(0));
    let parts = [
        "    1)  client[0]  handshake.pml:11  request!ask,number\n  with  server[1]",
        "server[1]:number: 0 -> 3",
        "choose (? for help): b\nthis is the start\n",
        "there is no step 9; possible: 1 to 1",
        "client[0]:number = 3",
        "reply = empty",
        "server[1]  handshake.pml:22  reply!answer(number + 1)",
        "the run has come to a proper end\n",
        "finished properly",
    ];
    assert_contains(&finished.stdout, &parts);
    assert_eq!(place.run_with_input("simulate blocked.pml -i", "").code, Some(1));
}
