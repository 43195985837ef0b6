/** An order, a family or a bird, with its traits and its members. */
export interface Kind {
  readonly name: string;
  /** Members inherit them and can override them. */
  readonly traits: { readonly [attribute: string]: string };
  readonly kinds?: readonly Kind[];
}

const kind = (name: string, traits: Kind["traits"], ...kinds: readonly Kind[]): Kind =>
  kinds.length === 0 ? { name, traits } : { name, traits, kinds };

/** Some birds of North America, as the classic expert system knows them. */
export const BIRDS: readonly Kind[] = [
  kind(
    "falconiforms",
    { eats: "meat", feet: "curved_talons", bill: "sharp_hooked" },
    kind(
      "falcon",
      { wings: "long_pointed", head: "large", tail: "narrow_at_tip" },
      kind("peregrine_falcon", { eats: "birds" }),
      kind("sparrow_hawk", { eats: "insects" }),
    ),
    kind(
      "vulture",
      { feed: "scavange", wings: "broad" },
      kind("california_condor", { flight_profile: "flat" }),
      kind("turkey_vulture", { flight_profile: "v_shaped" }),
    ),
  ),
  kind(
    "passerformes",
    { feet: "one_long_backward_toe" },
    kind(
      "flycatcher",
      { bill: "flat", eats: "flying_insects" },
      kind("ash_throated", { throat: "white" }),
      kind("great_crested", { tail: "long_rusty" }),
    ),
    kind(
      "swallow",
      { wings: "long_pointed", tail: "forked", bill: "short" },
      kind("barn_swallow", { tail: "forked" }),
      kind("cliff_swallow", { tail: "square" }),
      kind("purple_martin", { color: "dark" }),
    ),
  ),
  kind(
    "tubenose",
    { nostrils: "external_tubular", live: "at_sea", bill: "hooked" },
    kind("fulmar", { size: "medium", flight: "flap_glide" }),
    kind(
      "albatross",
      { size: "large", wings: "long_narrow" },
      kind("black_footed", { color: "dark" }),
      kind("laysan", { color: "white" }),
    ),
  ),
  kind(
    "waterfowl",
    { feet: "webbed", bill: "flat" },
    kind(
      "duck",
      { feed: "on_water_surface", flight: "agile" },
      kind("female_mallard", { voice: "quack", color: "mottled_brown" }),
      kind("male_mallard", { voice: "quack", head: "green" }),
      kind("pintail", { voice: "short_whistle" }),
    ),
    kind(
      "goose",
      { size: "plump", flight: "powerful" },
      kind("canada_goose", { head: "black", cheek: "white" }),
      kind("snow_goose", { color: "white" }),
    ),
    kind(
      "swan",
      { neck: "long", color: "white", flight: "ponderous" },
      kind("trumpeter_swan", { voice: "loud_trumpeting" }),
      kind("whistling_swan", { voice: "muffled_musical_whistle" }),
    ),
  ),
];

/** Attributes that are asked as a choice among these values; all others are yes-or-no questions. */
export const MENUS: { readonly [attribute: string]: readonly string[] } = {
  flight: ["ponderous", "powerful", "agile", "flap_glide", "other"],
  flight_profile: ["flat", "v_shaped", "other"],
  size: ["large", "plump", "medium", "small"],
  tail: ["narrow_at_tip", "forked", "long_rusty", "square", "other"],
};
