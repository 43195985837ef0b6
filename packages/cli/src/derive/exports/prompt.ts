import type { Codec, ManifestArgument, ManifestPrompt } from "proffer/derived";
import type { FunctionDoc } from "../comments/function-doc.ts";
import type { Entry } from "../comments/tag.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { Candidate } from "./exports.ts";
import { deriveInput } from "./input.ts";
import { isPromptResult } from "./result.ts";
import type { Session } from "./session.ts";
import { bind, describe } from "./tool.ts";

/** Describes a function as a prompt; undefined if there were errors. The protocol allows only strings as arguments. */
export function derivePrompt(
  session: Session,
  candidate: Candidate,
  doc: FunctionDoc,
  entry: Entry,
): ManifestPrompt | undefined {
  const input = deriveInput(session, candidate, doc, { isInline: true });
  let isBroken = input.isBroken;
  const args: ManifestArgument[] = [];
  for (const [name, schema] of Object.entries(input.schema.properties ?? {})) {
    if (schema.type !== "string" || isCoded(input.codec, name)) {
      const node = input.places.get(name) ?? candidate.node;
      session.report(
        "PF1301",
        node,
        `Argument '${name}' of the prompt '${candidate.name}' must be a string or a union of strings. Convert it inside the function.`,
      );
      isBroken = true;
      continue;
    }
    const complete = completions(schema);
    args.push({
      name,
      ...(schema.description && { description: schema.description }),
      required: input.schema.required?.includes(name) ?? false,
      schema,
      ...(complete && { complete }),
    });
  }
  if (!isPromptResult(session, candidate)) {
    session.report(
      "PF1302",
      candidate.node,
      `The prompt '${candidate.name}' must return a string, or messages created with user(…) and assistant(…).`,
    );
    isBroken = true;
  }
  if (isBroken) return undefined;
  return {
    name: candidate.name,
    ...describe(doc, entry),
    arguments: args,
    ...(input.paramScopes && { paramScopes: input.paramScopes }),
    binding: bind(candidate, input, { bound: { kind: "content" }, isBroken }),
  };
}

/** Returns all values of a string or number with a closed set of them, as completions for a client. */
export function completions(schema: DerivedSchema): string[] | undefined {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const usable = values?.filter((value) => typeof value === "string" || typeof value === "number");
  return usable && usable.length > 0 ? usable.map(String) : undefined;
}

function isCoded(codec: Codec | undefined, name: string): boolean {
  const plan = codec?.plan;
  return plan?.kind === "object" && Object.hasOwn(plan.properties ?? {}, name);
}
