/**
 * The vocabulary of the case files. A case is an exported function and the statements about it. The runner reads these
 * statements and removes them before it derives the module; it never calls these functions. Values are TypeScript
 * expressions: TypeScript itself decides which of them are assignable, so an expectation cannot drift from the types.
 */

// biome-ignore lint/suspicious/noExplicitAny: any function can be a case
type Case = (...args: any[]) => unknown;

/** The function accepts these argument lists, and receives the same values after decoding. */
export declare function accepts<F extends Case>(of: F, ...lists: Parameters<F>[]): void;

/** The function refuses these argument lists, as TypeScript does. */
export declare function refuses(of: Case, ...lists: unknown[][]): void;

/** The client receives these results whole. */
export declare function returns<F extends Case>(of: F, ...results: Awaited<ReturnType<F>>[]): void;

/**
 * The function itself, called with these arguments, gives the client this JSON. Without the JSON, it is what
 * `JSON.stringify` makes of the value, but for the classes that docs/types.md lists. Code of a package must run in the call.
 */
export declare function gives<F extends Case>(of: F, args: Parameters<F>, json?: unknown): void;

/** The function itself, called with these arguments, fails: the model reads these texts. */
export declare function fails<F extends Case>(of: F, args: Parameters<F>, ...texts: string[]): void;

/** The output schema rejects these results, as TypeScript does. */
export declare function cannotReturn(of: Case, ...results: unknown[]): void;

/** The function is not served, for one of these reasons. The same function in zoo/remedies follows the advice. */
export declare function refused(of: Case, ...codes: string[]): void;

/** The function may have these warnings. Other warnings are a fault, except those of `classify.ts`. */
export declare function warns(of: Case, ...codes: string[]): void;

/** The description or the schemas contain these texts. */
export declare function says(of: Case, ...texts: string[]): void;

/** Neither the description nor the schemas contain these texts. */
export declare function hides(of: Case, ...texts: string[]): void;
