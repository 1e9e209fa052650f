use crate::AvroSchema;
use crate::schema::fingerprint::tests::plain;

/// Schemas for the rules of the specification: the text, the canonical form and, where Avro publishes it for that form,
/// the fingerprint as the signed number that Java prints.
const CASES: [(&str, &str, Option<i64>); 29] = [
    // PRIMITIVES
    (r#""null""#, r#""null""#, Some(7_195_948_357_588_979_594)),
    (r#"{"type":"boolean"}"#, r#""boolean""#, Some(-6_970_731_678_124_411_036)),
    (r#"{"doc": "n", "type": "int"}"#, r#""int""#, Some(8_247_732_601_305_521_295)),
    (r#"{"type": {"type": "long"}}"#, r#""long""#, Some(-3_434_872_931_120_570_953)),
    (r#""float""#, r#""float""#, Some(5_583_340_709_985_441_680)),
    (r#""double""#, r#""double""#, Some(-8_181_574_048_448_539_266)),
    (r#""bytes""#, r#""bytes""#, Some(5_746_618_253_357_095_269)),
    (r#""string""#, r#""string""#, Some(-8_142_146_995_180_207_161)),
    (r#"{"type": "int", "logicalType": "date"}"#, r#""int""#, Some(8_247_732_601_305_521_295)),
    (r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}"#, r#""bytes""#, None),
    // Unions, arrays, maps
    (r#"["int"]"#, r#"["int"]"#, Some(-5_232_228_896_498_058_493)),
    (r#"[ "int", {"type": "boolean"} ]"#, r#"["int","boolean"]"#, Some(5_392_556_393_470_105_090)),
    (
        r#"{"items": {"type": "null"}, "type": "array", "x": 1}"#,
        r#"{"type":"array","items":"null"}"#,
        Some(-589_620_603_366_471_059),
    ),
    (
        r#"{"values": "string", "type": "map", "default": {}}"#,
        r#"{"type":"map","values":"string"}"#,
        Some(-8_732_877_298_790_414_990),
    ),
    // FULLNAMES
    (
        r#"{"fields": [], "type": "record", "name": "foo"}"#,
        r#"{"name":"foo","type":"record","fields":[]}"#,
        Some(-4_824_392_279_771_201_922),
    ),
    (
        r#"{"fields": [], "type": "record", "name": "foo", "namespace": "x.y"}"#,
        r#"{"name":"x.y.foo","type":"record","fields":[]}"#,
        Some(5_916_914_534_497_305_771),
    ),
    (
        r#"{"fields": [], "type": "error", "name": "a.b.foo", "namespace": "x.y"}"#,
        r#"{"name":"a.b.foo","type":"record","fields":[]}"#,
        Some(-4_616_218_487_480_524_110),
    ),
    // STRIP and ORDER
    (
        r#"{"doc": "d", "aliases": ["foo", "bar"], "fields": [], "x": {"y": []}, "name": "foo", "type": "record"}"#,
        r#"{"name":"foo","type":"record","fields":[]}"#,
        Some(-4_824_392_279_771_201_922),
    ),
    (
        r#"{"fields": [{"type": {"type": "boolean"}, "name": "f1"}], "type": "record", "name": "foo"}"#,
        r#"{"name":"foo","type":"record","fields":[{"name":"f1","type":"boolean"}]}"#,
        Some(7_843_277_075_252_814_651),
    ),
    (
        r#"{"fields": [{"type": "boolean", "aliases": [], "name": "f1", "default": "true"},
            {"order": "descending", "name": "f2", "doc": "Hello", "type": "int"}], "type": "record", "name": "foo"}"#,
        r#"{"name":"foo","type":"record","fields":[{"name":"f1","type":"boolean"},{"name":"f2","type":"int"}]}"#,
        Some(-4_860_222_112_080_293_046),
    ),
    (
        r#"{"type": "enum", "name": "foo", "symbols": ["A1"], "default": "A1"}"#,
        r#"{"name":"foo","type":"enum","symbols":["A1"]}"#,
        Some(-6_342_190_197_741_309_591),
    ),
    (
        r#"{"namespace": "x.y.z", "type": "enum", "name": "foo", "doc": "foo bar", "symbols": ["A1", "A2"]}"#,
        r#"{"name":"x.y.z.foo","type":"enum","symbols":["A1","A2"]}"#,
        Some(-4_448_647_247_586_288_245),
    ),
    (
        r#"{"size": 15, "name": "foo", "type": "fixed"}"#,
        r#"{"name":"foo","type":"fixed","size":15}"#,
        Some(1_756_455_273_707_447_556),
    ),
    (
        r#"{"namespace": "x.y.z", "type": "fixed", "name": "foo", "doc": "foo bar", "size": 32}"#,
        r#"{"name":"x.y.z.foo","type":"fixed","size":32}"#,
        Some(-3_064_184_465_700_546_786),
    ),
    (
        r#"{"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}"#,
        r#"{"name":"U","type":"fixed","size":16}"#,
        None,
    ),
    // STRINGS
    (
        r#"{"type": "enum", "name": "f\u006fo", "symbols": ["\u00e9"]}"#,
        r#"{"name":"foo","type":"enum","symbols":["é"]}"#,
        None,
    ),
    // References
    (
        r#"{"name": "PigValue", "type": "record",
            "fields": [{"name": "value", "type": ["null", "int", "long", "PigValue"]}]}"#,
        r#"{"name":"PigValue","type":"record","fields":[{"name":"value","type":["null","int","long","PigValue"]}]}"#,
        Some(-1_759_257_747_318_642_341),
    ),
    (
        r#"{"type": "record", "name": "R", "namespace": "a", "fields": [
            {"name": "x", "type": {"type": "fixed", "name": "F", "size": 1}}, {"name": "y", "type": "F"},
            {"name": "z", "type": {"type": "array", "items": "a.F"}}]}"#,
        r#"{"name":"a.R","type":"record","fields":[{"name":"x","type":{"name":"a.F","type":"fixed","size":1}},{"name":"y","type":"a.F"},{"name":"z","type":{"type":"array","items":"a.F"}}]}"#,
        None,
    ),
    (
        // The order is that of the types in the text, not that of the keys.
        r#"[{"fields": [{"type": {"type": "map", "values": {"name": "B", "type": "record", "fields": [
            {"name": "a", "type": ["null", "A"]}]}}, "name": "b"}, {"name": "c", "type": "B"}],
            "type": "record", "name": "A"}, "B"]"#,
        r#"[{"name":"A","type":"record","fields":[{"name":"b","type":{"type":"map","values":{"name":"B","type":"record","fields":[{"name":"a","type":["null","A"]}]}}},{"name":"c","type":"B"}]},"B"]"#,
        None,
    ),
];

#[test]
fn canonical_forms_follow_the_rules_and_are_their_own() {
    for (json, canonical, _) in CASES {
        assert_eq!(AvroSchema::parse(json).unwrap().canonical(), canonical, "{json}");
        assert_eq!(AvroSchema::parse(canonical).unwrap().canonical(), canonical);
    }
}

#[test]
fn fingerprints_are_the_published_ones() {
    for (json, canonical, published) in CASES {
        let fingerprint = AvroSchema::parse(json).unwrap().fingerprint();
        assert_eq!(fingerprint, plain(canonical.as_bytes()), "{json}");
        if let Some(published) = published {
            assert_eq!(fingerprint.cast_signed(), published, "{json}");
        }
    }
}
