import { RpcError } from "../protocol/errors.ts";

/** Returns the error for a module that is not the one that its manifest describes. */
export function mismatch(problem: string): RpcError {
  return new RpcError("internal_error", "The module does not match its manifest.", {
    cause: new TypeError(`${problem}; build the module again`),
  });
}
