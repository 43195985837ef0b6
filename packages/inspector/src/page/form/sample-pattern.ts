/** The candidates for a class with a complement, in the order of preference. */
const CANDIDATES = "aA0 -_.:/@!\u00e4";
const MAX_LENGTH = 1000;
const MAX_REPEATS = 200;

/**
 * Makes a text that a regular expression matches: the first alternative, each quantifier at its least and `more`. Undefined
 * for what it cannot read, such as lookaheads. The expression is not run: it is a server's, and may take forever.
 */
export function samplePattern(pattern: string, more: number): string | undefined {
  try {
    const reader = new Reader(pattern, more);
    const text = reader.alternatives();
    return reader.isAtEnd ? text : undefined;
  } catch {
    return undefined;
  }
}

class Reader {
  readonly #source: string;
  readonly #more: number;
  #at = 0;

  constructor(source: string, more: number) {
    this.#source = source;
    this.#more = more;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): string {
    const first = this.#sequence();
    while (this.#take("|")) this.#sequence();
    return first;
  }

  #sequence(): string {
    let text = "";
    while (!this.isAtEnd && !this.#sees("|") && !this.#sees(")")) {
      text += this.#repeated(this.#atom());
      if (text.length > MAX_LENGTH) throw new Error("too long");
    }
    return text;
  }

  #atom(): string {
    const char = this.#next();
    if (char === "^" || char === "$") return "";
    if (char === ".") return "a";
    if (char === "[") return this.#class();
    if (char === "(") return this.#group();
    if (char === "\\") return this.#escape();
    if ("*+?{".includes(char)) throw new Error("nothing to repeat");
    return char;
  }

  #group(): string {
    if (this.#take("?")) {
      const isNamed =
        this.#source.startsWith("<", this.#at) && !/^<[=!]/.test(this.#source.slice(this.#at, this.#at + 2));
      if (isNamed) this.#at = this.#source.indexOf(">", this.#at) + 1;
      else if (!this.#take(":")) throw new Error("a lookaround");
    }
    const text = this.alternatives();
    if (!this.#take(")")) throw new Error("not closed");
    return text;
  }

  #repeated(atom: string): string {
    const [whole, digits, comma, most] =
      /^(?:[*+?]|\{(\d+)(,)?(\d*)\})/.exec(this.#source.slice(this.#at, this.#at + 20)) ?? [];
    if (whole === undefined) return atom;
    this.#at += whole.length;
    this.#take("?");
    const least = digits === undefined ? Number(whole === "+") : Number(digits);
    const limit =
      whole === "?"
        ? 1
        : digits === undefined || most === ""
          ? comma === undefined && digits !== undefined
            ? least
            : Infinity
          : Number(most);
    return atom.repeat(Math.min(least + this.#more, limit, MAX_REPEATS));
  }

  /** The first member of a class; for a complement, the first candidate that it has. */
  #class(): string {
    const isComplement = this.#take("^");
    const members: [string, string][] = [];
    while (!this.#take("]")) {
      const from = this.#member();
      const isRange = this.#sees("-") && this.#source[this.#at + 1] !== "]";
      if (isRange) this.#at++;
      members.push([from, isRange ? this.#member() : from]);
    }
    if (!isComplement) return members[0]?.[0] ?? fail();
    const free = [...CANDIDATES].find((char) => !members.some(([from, to]) => from <= char && char <= to));
    return free ?? fail();
  }

  #member(): string {
    const char = this.#next();
    return char === "\\" ? this.#escape() : char;
  }

  #escape(): string {
    const char = this.#next();
    const known = ESCAPES[char];
    if (known !== undefined) return known;
    if (char === "u" || char === "x") {
      const [whole = fail(), braced, plain] =
        /^(?:\{([0-9a-f]+)\}|([0-9a-f]{2,4}))/i.exec(this.#source.slice(this.#at)) ?? [];
      this.#at += whole.length;
      return String.fromCodePoint(Number.parseInt(braced ?? plain ?? "", 16));
    }
    if (char === "p") {
      const name = /^\{([^}]*)\}/.exec(this.#source.slice(this.#at)) ?? fail();
      this.#at += name[0].length;
      return /^N/.test(name[1] ?? "") ? "0" : /Lu|Uppercase/.test(name[1] ?? "") ? "A" : "a";
    }
    if (/[a-zA-Z1-9]/.test(char)) throw new Error("an unknown escape");
    return char;
  }

  #sees(char: string): boolean {
    return this.#source[this.#at] === char;
  }

  #take(char: string): boolean {
    if (!this.#sees(char)) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? fail());
    this.#at += char.length;
    return char;
  }
}

const ESCAPES: { readonly [char: string]: string } = {
  d: "0",
  w: "a",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
  b: "",
  B: "",
  n: "\n",
  r: "\r",
  t: "\t",
  f: "\f",
  v: "\v",
  0: "\0",
};

function fail(): never {
  throw new Error("not a pattern");
}
