//! What the words of a sentence say together: "awaiting" and "approval" wait, "send" and "then I'll" ask. A frame holds
//! in any language whose phrase file names its parts; it looks at one sentence and knows nothing of the message.

use super::kinds::Kinds;

/// Who speaks of whom in a sentence.
#[derive(Clone, Copy)]
pub(super) struct Speaker {
    /// The author speaks of itself.
    pub(super) author: bool,
    /// The sentence begins with that.
    pub(super) begins: bool,
}

/// The kinds that a sentence has by its frames, beside those of its phrases. `opening` are the kinds found where a
/// clause begins, `author` whether it speaks of what the author did.
pub(super) fn read(all: Kinds, opening: Kinds, speaker: Speaker, item: bool) -> Kinds {
    let Speaker { author, begins } = speaker;
    let mut kinds = Kinds::NONE;
    let person = Kinds::YOU | Kinds::GRANT;
    let machine = all.any(Kinds::MACHINE) && !all.any(Kinds::YOU);
    let stuck = all.any(Kinds::CANT | Kinds::OPEN | Kinds::HOLD);

    // "Awaiting approval", "on hold until you decide"; not "waiting for the build".
    let did = all.any(Kinds::DONE | Kinds::PAST);
    let own = opening.any(Kinds::HOLD) || all.any(Kinds::YOU) || (author && !did && !item);
    let told = !item || (all.any(Kinds::YOU) && opening.any(Kinds::HOLD | Kinds::NEED | Kinds::UNTIL) && !did);
    let holds = told && all.any(Kinds::HOLD) && own && all.any(person) && !machine;
    // "Nothing is merged before you say so", "until that happens this stays open".
    let until = all.any(Kinds::UNTIL) && (opening.any(Kinds::UNTIL) || stuck);
    let mine = author && stuck && all.any(Kinds::UNTIL) && !machine && !did;
    let bound = mine
        || (until || (stuck && all.any(Kinds::TILL)))
            && all.any(person | Kinds::KNOW)
            && !machine
            && told
            && (!did || own);
    // "As soon as the key is there I'll deploy", "with those I can write it".
    let condition = all.any(Kinds::TILL) && all.any(person | Kinds::KNOW) && all.any(Kinds::THEN) && !machine;
    // "I need a token, then I'll push."
    let lacks = told && all.any(Kinds::NEED) && (!all.any(Kinds::CHORE) || all.any(person)) && !machine;
    let needs = lacks && (author || all.any(person | Kinds::THEN | Kinds::PLEASE));
    // "Pick one and I'll publish it", "tell me which"; not "if something is odd, tell me".
    let asks = opening.any(Kinds::REQUEST) && !item;
    let optional = opening.any(Kinds::IF) || all.any(Kinds::OFFER | Kinds::ELSE);
    let matter = Kinds::THEN | Kinds::WHICH | Kinds::PLEASE | Kinds::TILL;
    // "Plug in the board and I'll flash it."
    let acts = opening.any(Kinds::ACT) && !item && all.any(Kinds::THEN) && !optional;
    // "I'll finish the review when I know which is meant."
    let learns = condition && all.all(Kinds::KNOW | Kinds::WHICH);
    let begs = all.all(Kinds::PLEASE | Kinds::THEN) && !optional && !begins;
    if holds || bound || needs || acts || learns || begs || (asks && !optional && all.any(matter)) {
        kinds = kinds | Kinds::WAIT;
    }
    let must = all.all(Kinds::YOU | Kinds::MUST);
    // "If that's accurate I'll start building."
    let agreed = all.all(Kinds::THEN | Kinds::GO) && all.any(Kinds::IF | Kinds::TILL | Kinds::UNTIL) && !machine;
    if asks || condition || agreed || must || (lacks && !all.any(Kinds::DONE)) || all.any(Kinds::PLEASE) {
        kinds = kinds | Kinds::SOFT;
    }
    kinds
}
