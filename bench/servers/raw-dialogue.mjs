import { dialogueText, QUESTIONS, questionText, textResult } from "../workload/definition.mjs";
import { QUESTION_SCHEMA } from "../workload/json-schemas.mjs";
import { enveloped, isModern } from "./raw-reply.mjs";

/** The dialogues of a raw server: one question after another, then the result. */
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
    write(JSON.stringify({ jsonrpc: "2.0", id: next++, ...question(values.length) }));
  }

  return {
    /** Handles the call that opens a dialogue and the client's answers; returns false for any other message. */
    take({ id, method, params, result }) {
      if (method === "tools/call" && params.name === "dialogue") {
        if (isModern(params)) write(JSON.stringify({ jsonrpc: "2.0", id, result: enveloped(method, round(params)) }));
        else ask({ id, values: [] });
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

/** One round on the newest revision. The answers travel in plain text and are not verified. */
function round({ requestState = "[]", inputResponses }) {
  const values = JSON.parse(requestState);
  if (inputResponses !== undefined) values.push(inputResponses.question.content.value);
  if (values.length === QUESTIONS) return textResult(dialogueText(values));
  return {
    resultType: "input_required",
    inputRequests: { question: question(values.length) },
    requestState: JSON.stringify(values),
  };
}

function question(number) {
  return {
    method: "elicitation/create",
    params: { message: questionText(number), requestedSchema: QUESTION_SCHEMA },
  };
}
