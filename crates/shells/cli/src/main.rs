use std::ops::ControlFlow;
struct M;
impl allways_workbench::Monitor for M {
    fn tick(&mut self, _: &allways_verdict::Statistics) -> ControlFlow<allways_workbench::Stopped> { ControlFlow::Continue(()) }
}
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let model = match allways_workbench::load(path.as_ref(), &Default::default()) {
        Ok(m) => m,
        Err(allways_workbench::LoadError::Mistakes{sources, diagnostics}) => {
            for d in diagnostics { if d.is_error() { println!("{}:{} {} {}", sources.path(d.primary.span.file).display(), sources.line(d.primary.span), d.code, d.message);} }
            std::process::exit(4)
        }
        Err(e) => { println!("{e}"); std::process::exit(4) }
    };
    if std::env::args().nth(2).as_deref() == Some("-d") { println!("{}", allways_system::print::print(&model.system)); }
    let options = allways_workbench::CheckOptions { properties: vec!["assertions".into(), "deadlock".into()], keep_going: true, ..Default::default() };
    let r = allways_workbench::check(&model, &options, &mut M).unwrap();
    let s = r.statistics;
    let errors: u64 = r.properties.iter().map(|p| match &p.verdict { allways_verdict::Verdict::Violated(v) => v.count, _ => 0}).sum();
    println!("{}/{}/{}/{}/{}/{}", s.states, s.matched, s.transitions(), s.atomic_steps, s.depth, errors);
}
