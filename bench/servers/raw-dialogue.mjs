import { dialogueText, QUESTIONS, questionText, textResult } from "../workload/definition.mjs";
import { QUESTION_SCHEMA } from "../workload/json-schemas.mjs";

/** The dialogues of a raw server of the older revisions: one question after another, then the answer. */
export function createDialogues(write) {
  const waiting = new Map();
  let next = 1;

  function ask(dialogue) {
    const { id, values } = dialogue;
    if (values.length === QUESTIONS) {
      write(JSON.stringify({ jsonrpc: "2.0", id, result: textResult(dialogueText(values)) }));
      return;
    }
    waiting.set(next, dialogue);
    const params = { message: questionText(values.length), requestedSchema: QUESTION_SCHEMA };
    write(JSON.stringify({ jsonrpc: "2.0", id: next++, method: "elicitation/create", params }));
  }

  return {
    /** Takes the call that opens a dialogue, or the client's answer to a question; false for any other message. */
    take({ id, method, params, result }) {
      if (method === "tools/call" && params.name === "dialogue") {
        ask({ id, values: [] });
        return true;
      }
      if (method !== undefined) return false;
      const dialogue = waiting.get(id);
      waiting.delete(id);
      dialogue.values.push(result.content.value);
      ask(dialogue);
      return true;
    },
  };
}
