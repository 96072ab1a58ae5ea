use super::*;
use crate::request::{Chosen, Said, VERSION};

const ID: &str = "0123456789abcdef";

fn request(id: &str, session: &str) -> Request {
    let record = serde_json::json!({"kind": "question", "session_id": session});
    Request {
        v: VERSION,
        id: id.into(),
        token: "t".into(),
        registration: String::new(),
        since: "2026-11-30T12:00:00Z".parse().unwrap(),
        until: "2999-11-30T12:10:00Z".parse().unwrap(),
        reply_to: "/x".into(),
        record: serde_json::value::to_raw_value(&record).unwrap(),
    }
}

fn reply(text: &str) -> Reply {
    let said = Said::Answer { answers: vec![Chosen::Text(text.into())] };
    Reply { v: VERSION, token: "t".into(), means: "test".into(), said }
}

fn left_in(state: &Path) -> usize {
    fs::read_dir(folder(state)).unwrap().count()
}

#[test]
fn a_reply_in_time_is_read_a_second_one_and_a_late_one_are_refused_and_nothing_is_left() {
    let state = tempfile::tempdir().unwrap();
    let open = open(state.path(), &request(ID, "s")).unwrap();
    assert_eq!(list(state.path()).unwrap().len(), 1);
    assert_eq!(open.reply(), None);
    assert_eq!(leave(state.path(), ID, &reply("one")).unwrap(), Left::There);
    assert_eq!(leave(state.path(), ID, &reply("two")).unwrap(), Left::Second);
    assert_eq!(serde_json::from_slice::<Reply>(&open.reply().unwrap()).unwrap(), reply("one"));
    assert_eq!(serde_json::from_slice::<Reply>(&open.close().unwrap()).unwrap(), reply("one"));
    assert_eq!(leave(state.path(), ID, &reply("late")).unwrap(), Left::Late);
    assert_eq!((list(state.path()).unwrap().len(), left_in(state.path())), (0, 0));
}

#[test]
fn a_refused_reply_makes_room_for_another() {
    let state = tempfile::tempdir().unwrap();
    let open = open(state.path(), &request(ID, "s")).unwrap();
    assert_eq!(leave(state.path(), ID, &reply("bad")).unwrap(), Left::There);
    open.refuse(&open.reply().unwrap());
    assert_eq!(leave(state.path(), ID, &reply("good")).unwrap(), Left::There);
    assert!(open.close().is_some());
}

#[test]
fn what_a_dead_hook_left_waits_for_nobody_and_is_taken_away() {
    let state = tempfile::tempdir().unwrap();
    drop(open(state.path(), &request(ID, "s")).unwrap());
    assert_eq!(left_in(state.path()), 2);
    assert!(!waits(state.path(), "s"));
    assert_eq!(left_in(state.path()), 0);
}

#[test]
fn requests_of_several_sessions_stay_apart() {
    let state = tempfile::tempdir().unwrap();
    let one = open(state.path(), &request(ID, "one")).unwrap();
    let two = open(state.path(), &request("fedcba9876543210", "two")).unwrap();
    assert!(waits(state.path(), "one") && waits(state.path(), "two") && !waits(state.path(), "three"));
    assert_eq!(leave(state.path(), ID, &reply("for one")).unwrap(), Left::There);
    assert_eq!((one.close().is_some(), two.close().is_some()), (true, false));
}

#[test]
fn one_request_cannot_be_put_up_twice_and_no_other_name_becomes_a_path() {
    let state = tempfile::tempdir().unwrap();
    let first = open(state.path(), &request(ID, "s")).unwrap();
    assert_eq!(open(state.path(), &request(ID, "s")).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(list(state.path()).unwrap().len(), 1);
    assert!(find(state.path(), "../../etc/passwd").is_none());
    first.close();
}

#[test]
fn what_else_lies_in_a_folder_for_replies_keeps_nobody_from_answering_the_same_call_next_time() {
    let state = tempfile::tempdir().unwrap();
    for (round, dies) in [(1, false), (2, true), (3, false)] {
        let request = Request { token: format!("token {round}"), ..request(ID, "s") };
        let open = open(state.path(), &request).unwrap();
        fs::write(open.reply_folder().join("half written"), "x").unwrap();
        if dies {
            drop(open);
            assert!(find(state.path(), ID).is_none());
        } else {
            open.close();
        }
        assert!(!is_there(&reply_folder(state.path(), ID)), "a reply could still be left");
    }
    assert_eq!(left_in(state.path()), 3, "what was put there lies aside");
}

#[test]
fn an_answer_to_the_same_call_asked_before_is_none_to_the_one_that_waits_now() {
    let state = tempfile::tempdir().unwrap();
    let now = open(state.path(), &Request { token: "another".into(), ..request(ID, "s") }).unwrap();
    assert_eq!(leave(state.path(), ID, &reply("for the former")).unwrap(), Left::Late);
    assert!(!still(state.path(), &request(ID, "s")) && now.reply().is_none());
}

#[test]
fn what_comes_when_the_time_is_up_is_not_left_though_the_hook_is_still_there() {
    let state = tempfile::tempdir().unwrap();
    let until = "2026-11-30T12:00:01Z".parse().unwrap();
    let stopped = open(state.path(), &Request { until, ..request(ID, "s") }).unwrap();
    assert_eq!(leave(state.path(), ID, &reply("late")).unwrap(), Left::TimeUp);
    assert!(stopped.reply().is_none());
}

#[test]
fn a_request_counts_as_taken_away_without_its_file_or_without_room_for_a_reply() {
    let state = tempfile::tempdir().unwrap();
    let one = open(state.path(), &request(ID, "s")).unwrap();
    let two = open(state.path(), &request("fedcba9876543210", "s")).unwrap();
    assert!(one.stands() && two.stands());
    fs::remove_file(request_file(state.path(), ID)).unwrap();
    fs::remove_dir(two.reply_folder()).unwrap();
    assert!(!one.stands() && !two.stands());
}
