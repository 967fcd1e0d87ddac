use crate::{Place, assert_contains};

#[test]
fn graphs_can_be_drawn() {
    let place = Place::new("graphs");
    assert_contains(&place.run("graph handshake.pml").stdout, &["digraph", "client", "server"]);
    let one = place.run("graph handshake.pml -P server").stdout;
    assert!(!one.contains("client"));
    assert_eq!(place.run("graph handshake.pml -o graph.svg").code, Some(0));
    assert_contains(&place.read("graph.svg"), &["<svg"]);
    assert_contains(&place.run("graph handshake.pml --format text").stdout, &["reply?answer"]);
    assert_eq!(place.run("graph handshake.pml -P nobody").code, Some(2));
    assert_eq!(place.run("graph mistakes.pml").code, Some(4));
}

#[test]
fn help_and_scripts_are_complete() {
    let place = Place::new("help");
    for command in ["check", "simulate", "replay", "graph", "property"] {
        let help = place.run(&format!("{command} --help"));
        assert_eq!(help.code, Some(0));
        assert_contains(&help.stdout, &["Examples:"]);
    }
    assert_eq!(place.run("").code, Some(2));
    for (what, part) in [
        ("complete-bash", "_allways"),
        ("complete-zsh", "#compdef allways"),
        ("complete-fish", "complete -c allways"),
        ("man", "ALLWAYS CHECK"),
    ] {
        let finished = place.run(&format!("--generate {what}"));
        assert_eq!(finished.code, Some(0));
        assert_contains(&finished.stdout, &[part]);
    }
}
