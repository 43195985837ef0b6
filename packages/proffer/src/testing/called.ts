import type { CallResult } from "../protocol/model.ts";
import type { Tool } from "../tools/define.ts";
import type { RequestOptions } from "./options.ts";

/** The arguments of `call` after the tool: the input is optional for a name and for a tool without required input. */
export type CallArguments<Called> =
  Called extends Tool<infer Input>
    ? undefined extends Input
      ? [input?: Input, options?: RequestOptions]
      : [input: Input, options?: RequestOptions]
    : [input?: object, options?: RequestOptions];

/** The result of `call`: the structured content has the type of the tool's output. */
export type ToolCallResult<Called> =
  Called extends Tool<unknown, infer Output> ? CallResult & { readonly structuredContent?: Output } : CallResult;

/** The parameters of `tools/call`. */
export function callParams(tool: string | Tool, values: unknown): { readonly name: string } {
  const name = typeof tool === "string" ? tool : tool.name;
  return { name, ...(values === undefined ? {} : { arguments: values }) };
}
