import type { Target } from "../../client/target.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Json } from "../protocol/json.ts";

/** What is known about the server of a copied request. */
export interface CopySource {
  readonly target: Target;
  /** The address of the server, if it has one. */
  readonly url?: string;
  readonly serverName: string;
  /** The newest revision that the server supports, which commands and tests use by default. */
  readonly newest: string;
  /** The tools as listed: some declare arguments that are repeated in headers. */
  readonly tools: readonly Json[];
}

/** A text to paste, and its language. */
export interface Copied {
  readonly text: string;
  readonly language: "typescript" | "sh" | "powershell" | "json" | "toml" | "yaml";
}

/** Returns the address of the server. @throws {CommandError} if it has none. */
export function addressOf({ url }: CopySource): string {
  if (url !== undefined) return url;
  throw new CommandError("This server has no address. Start it with --http.");
}
