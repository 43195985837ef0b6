import type { ContentBlock, PromptResult } from "../protocol/model.ts";
import { kindOf, type Message, type Messages, text } from "./content.ts";
import { unsupportedValue } from "./return-value.ts";

/** Converts the return value of a prompt to messages. */
export function toPromptResult(value: unknown, name: string): PromptResult {
  if (typeof value === "string") return { messages: [{ role: "user", content: text(value) }] };
  switch (kindOf(value)) {
    case "block":
      return { messages: [{ role: "user", content: value as ContentBlock }] };
    case "message":
      return { messages: [value as Message] };
    case "messages": {
      const { list, description, _meta } = value as Messages;
      return {
        ...(description === undefined ? {} : { description }),
        messages: list,
        ...(_meta === undefined ? {} : { _meta }),
      };
    }
  }
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((item) => kindOf(item) === "message")) return { messages: value };
    if (value.every((item) => kindOf(item) === "block"))
      return { messages: value.map((content) => ({ role: "user", content })) };
  }
  throw unsupportedValue(`prompt "${name}"`, value);
}
