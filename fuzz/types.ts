import assert from "node:assert/strict";
import fc from "fast-check";
import { createDeriver } from "../packages/cli/src/derive/deriver.ts";
import { createWorkspace } from "../packages/cli/test/derive/workspace.ts";
import { createAjv } from "./ajv.ts";
import type { Target } from "./target.ts";
import { createOracle } from "./types/assignability.ts";
import { compare } from "./types/compare.ts";
import { moduleOf } from "./types/derived-type.ts";
import { type TypeCase, typeCase } from "./types/type-tree.ts";

/** The only reason to refuse these types: JSON does not show the class of a value of some unions. */
const REFUSAL = "PF1108";

/** Types in one module, because a program takes longer than many types. */
const TYPES = 40;

/** Compares derived schemas and codecs with TypeScript's own assignability, on random types and values. */
export const types: Target = {
  name: "types",
  runs: 10,
  open() {
    const workspace = createWorkspace();
    workspace.write({ "input.ts": "" });
    const deriver = createDeriver(workspace.path("input.ts"));
    const [oracle, ajv] = [createOracle(), createAjv()];
    let [accepted, rejected] = [0, 0];
    const property = fc.property(
      fc.array(typeCase, { minLength: 1, maxLength: TYPES, size: "max" }),
      (cases: TypeCase[]) => {
        const text = moduleOf(cases);
        workspace.write({ "input.ts": text });
        const derivation = deriver.derive();
        const error = derivation.diagnostics.find(({ severity, code }) => severity === "error" && code !== REFUSAL);
        if (error) throw new Error(`${error.code} ${error.message}\n${text.split("\n")[error.line - 1]}`);
        const { findings, ...counted } = compare(cases, derivation, oracle, ajv);
        accepted += counted.accepted;
        rejected += counted.rejected;
        if (findings[0] !== undefined) throw new Error(findings[0]);
      },
    );
    const close = () => {
      workspace.remove();
      // Checks the target itself: if TypeScript accepted no value, or every value, it would prove nothing.
      if (accepted + rejected > 1_000) assert.ok(accepted / rejected > 0.2 && accepted / rejected < 5);
    };
    return { property, close };
  },
};
