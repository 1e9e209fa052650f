//! Laws of parsing: any text is a key or an error with a character, and a key has a text that parses to it.

use arrowfeed_tensor::{KeyExpression, RepresentationErrorKind};
use proptest::prelude::*;

use super::config;

const PARTS: [&str; 24] = [
    "a", "name", ".", "[", "]", "*", "[*]", "[0]", "[-1]", "['", "'", "''", "=", "!=", "@", ":", "1.5", "-",
    "1e3", "true", "null", " ", "é", "[b='c']",
];

fn check(text: &str) -> Result<(), TestCaseError> {
    match KeyExpression::parse(text) {
        Ok(key) => {
            let shown = key.to_string();
            let again =
                KeyExpression::parse(&shown).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&again, &key, "{}", shown);
            prop_assert_eq!(again.to_string(), shown);
            prop_assert_eq!(key.text(), text);
        }
        Err(error) => {
            prop_assert_eq!((error.kind(), error.key()), (RepresentationErrorKind::Key, Some(text)));
            let at = error.character().expect("a character");
            prop_assert!((1..=text.chars().count() + 1).contains(&at), "{}", error);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn any_text_is_a_key_or_an_error(text in ".{0,40}") {
        check(&text)?;
    }

    #[test]
    fn parts_of_keys_in_any_order_are_a_key_or_an_error(parts in prop::collection::vec(0..PARTS.len(), 0..14)) {
        check(&parts.into_iter().map(|part| PARTS[part]).collect::<String>())?;
    }

    #[test]
    fn a_key_with_one_character_changed_is_a_key_or_an_error(at in 0_usize..60, other: char) {
        let key = "@a.b['c''d'][0][*][x.y!=@z[-1]][['q']=1.5][t='']:u[r=null]";
        let changed: String = key.chars().enumerate().map(|(i, own)| if i == at { other } else { own }).collect();
        check(&changed)?;
    }
}

#[test]
fn the_changed_key_is_one() {
    check("@a.b['c''d'][0][*][x.y!=@z[-1]][['q']=1.5][t='']:u[r=null]").unwrap();
}
