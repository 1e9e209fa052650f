//! Detection of processor features.
//!
//! Unsafe code: the `cpuid` instruction, which every x86-64 processor has.
#![allow(unsafe_code, reason = "queries the processor with cpuid")]

use std::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// Whether the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT, and executes `pext` and `pdep` in a few cycles.
///
/// AMD processors before Zen 3 execute `pext` and `pdep` in microcode, in 18 to 289 cycles, slower than shifts and
/// masks. Source: uops.info.
#[inline]
pub fn has_fast_bit_extraction() -> bool {
    static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
    // One comparison where it is fast.
    let known = KNOWN.load(Ordering::Relaxed);
    known == YES
        || known == UNKNOWN && {
            let found = looked_up();
            KNOWN.store(if found { YES } else { NO }, Ordering::Relaxed);
            found
        }
}

#[cfg(target_arch = "x86_64")]
#[cold]
fn looked_up() -> bool {
    use std::arch::x86_64::__cpuid;

    #[allow(unused_unsafe, reason = "`__cpuid` is a safe function in newer releases of Rust")]
    // SAFETY: every x86-64 processor has the `cpuid` instruction.
    let (vendor, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    let has_features = std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("lzcnt")
        && std::is_x86_feature_detected!("popcnt");
    has_features && !is_microcoded([vendor.ebx, vendor.edx, vendor.ecx], version)
}

#[cfg(not(target_arch = "x86_64"))]
fn looked_up() -> bool {
    false
}

/// Whether `pext` and `pdep` are microcoded. `vendor` and `version` are results of `cpuid`.
#[cfg(target_arch = "x86_64")]
fn is_microcoded(vendor: [u32; 3], version: u32) -> bool {
    let name = vendor.map(u32::to_le_bytes);
    let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
    match name.as_flattened() {
        // 15h: Excavator; 17h: Zen, Zen+ and Zen 2. Zen 3 is family 19h.
        b"AuthenticAMD" => family < 0x19,
        // 18h: Dhyana, a Zen core.
        b"HygonGenuine" => family <= 0x18,
        _ => false,
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn words(name: &[u8; 12]) -> [u32; 3] {
        let words: [[u8; 4]; 3] = name.as_chunks().0.try_into().unwrap();
        words.map(u32::from_le_bytes)
    }

    /// Uses `cpuid` values of real processors.
    #[test]
    fn processors_with_microcode_are_known() {
        for (name, version, expected) in [
            (b"AuthenticAMD", 0x0066_0f51, true),  // Excavator
            (b"AuthenticAMD", 0x0080_0f12, true),  // Naples, Zen
            (b"AuthenticAMD", 0x0083_0f10, true),  // Rome, Zen 2
            (b"AuthenticAMD", 0x00a0_0f11, false), // Milan, Zen 3
            (b"AuthenticAMD", 0x00b0_0f21, false), // Turin, Zen 5
            (b"HygonGenuine", 0x0090_0f02, true),  // Dhyana
            (b"GenuineIntel", 0x0005_0654, false), // Skylake
        ] {
            assert_eq!(is_microcoded(words(name), version), expected, "{version:x}");
        }
        assert_eq!(has_fast_bit_extraction(), looked_up());
        assert_eq!(has_fast_bit_extraction(), looked_up());
    }
}
