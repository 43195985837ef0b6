/** What the person who starts a server shows of it. Every part hides more, except toolsets with `default: false`. */
export interface Choice {
  /** The toolsets to show, instead of those that are shown by default. */
  readonly toolsets?: ChosenNames;
  /** Whether to hide the tools that do not say that they change nothing. */
  readonly readOnly?: boolean;
  /** Patterns of names: everything else is hidden. */
  readonly only?: ChosenNames;
  /** Patterns of names that are hidden. */
  readonly except?: ChosenNames;
}

export interface ChosenNames {
  readonly names: readonly string[];
  /** Where the names come from, for messages: a flag or a variable. */
  readonly origin: string;
}
