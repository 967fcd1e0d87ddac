//! Which parts of the language a model may use.
//!
//! Each model draws a subset of the language first and its text after (swarm testing: Groce et al., ISSTA 2012).
//! If every model could use everything, common constructs would crowd out the rare ones and no model would be
//! rich in any one thing.

use super::dice::Dice;

macro_rules! features {
    ($($feature:ident $name:literal $percent:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Feature { $($feature,)* }

        /// Every feature, its name and the share of models (in percent) that may use it.
        const TABLE: &[(Feature, &str, u32)] = &[$((Feature::$feature, $name, $percent),)*];
    };
}

features! {
    Arrays "arrays" 45,
    Asserts "asserts" 70,
    Atomic "atomic" 55,
    Blocks "blocks" 35,
    Buffered "buffered" 65,
    ChannelArrays "channel-arrays" 15,
    ChannelMessages "channel-messages" 15,
    ChannelParams "channel-params" 40,
    DProctype "d-proctype" 4,
    DStep "d-step" 35,
    Declarations "declarations" 30,
    Dynamic "dynamic" 45,
    For "for" 30,
    Gotos "gotos" 40,
    Guards "guards" 60,
    Init "init" 40,
    Inlines "inlines" 30,
    InnermostUnless "innermost-unless" 25,
    Last "last" 8,
    LocalChannels "local-channels" 15,
    Lossy "lossy" 8,
    Mtypes "mtypes" 40,
    OutOfRange "out-of-range" 1,
    Print "print" 25,
    Priorities "priorities" 8,
    Provided "provided" 10,
    Rendezvous "rendezvous" 35,
    Select "select" 25,
    StrictEnd "strict-end" 8,
    Structs "structs" 30,
    Timeout "timeout" 20,
    Unless "unless" 35,
    WideTypes "wide-types" 50,
}

/// How likely each feature is.
#[derive(Clone, Debug)]
pub struct Odds {
    /// Per feature, in percent of models.
    features: Vec<u32>,
    /// Whether most bodies start over when they end. Not a feature: it must not change the models of the others.
    looping: bool,
}

impl Default for Odds {
    fn default() -> Odds {
        Odds { features: TABLE.iter().map(|(_, _, percent)| *percent).collect(), looping: false }
    }
}

impl Odds {
    pub fn set(&mut self, feature: Feature, percent: u32) {
        self.features[feature as usize] = percent;
    }

    pub fn set_looping(&mut self) {
        self.looping = true;
    }
}

impl Feature {
    pub fn named(name: &str) -> Option<Feature> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.1)
    }
}

/// The features of one model.
pub struct Features {
    present: Vec<bool>,
    pub looping: bool,
}

impl Features {
    pub fn draw(dice: &mut Dice, odds: &Odds) -> Features {
        let present = odds.features.iter().map(|percent| dice.chance(*percent)).collect();
        let mut features = Features { present, looping: odds.looping };
        // Spin cannot combine them.
        if features.has(Feature::Priorities) {
            features.clear(Feature::Rendezvous);
        }
        if !features.has(Feature::Unless) {
            features.clear(Feature::InnermostUnless);
        }
        if !features.has(Feature::Buffered) {
            features.clear(Feature::Lossy);
            features.clear(Feature::StrictEnd);
        }
        features
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.present[feature as usize]
    }

    fn clear(&mut self, feature: Feature) {
        self.present[feature as usize] = false;
    }
}
