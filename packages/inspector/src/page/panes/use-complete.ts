import { useRef } from "preact/hooks";
import type { JsonObject } from "../../protocol/json.ts";
import type { Completion } from "../form/form-tools.ts";
import { useApp } from "../state/app.ts";

/** Asks the server for values of an argument. After a refusal it asks no more: not every server has completion. */
export function useComplete(ref: JsonObject, known: JsonObject): (name: string, text: string) => Promise<Completion> {
  const { api, revision } = useApp();
  const isRefused = useRef(false);
  return async (name, text) => {
    if (isRefused.current) throw new Error("The server does not complete arguments.");
    const others = Object.entries(known).filter(([other, value]) => other !== name && typeof value === "string");
    try {
      return await api.post("complete", {
        revision,
        ref,
        name,
        value: text,
        known: Object.fromEntries(others) as { [name: string]: string },
      });
    } catch (error) {
      isRefused.current = true;
      throw error;
    }
  };
}
