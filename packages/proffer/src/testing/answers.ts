/** Something that the server asks of the client. */
export interface Asked {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: { readonly [key: string]: unknown };
}

/**
 * An answer: "decline" or "cancel"; a value with an `action`, a `model` or `roots` as it is; any other object is what
 * the user filled into the form.
 */
export type ScriptedAnswer = "decline" | "cancel" | { readonly [key: string]: unknown };

/** Answers in the order of the questions, or by a function of the question. */
export type ScriptedAnswers = readonly ScriptedAnswer[] | ((asked: Asked) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Makes scripted answers into what the protocol wants. */
export function createAnswerer(answers: ScriptedAnswers | undefined): (asked: Asked) => Promise<object> {
  let next = 0;
  return async (asked) => {
    const answer = typeof answers === "function" ? await answers(asked) : answers?.[next++];
    if (answer === undefined) {
      throw new Error(
        `The server asked ${JSON.stringify(asked)}, and the test has no answer for it; see the answers option.`,
      );
    }
    if (answer === "decline" || answer === "cancel") return { action: answer };
    if (asked.method !== "elicitation/create" || "action" in answer) return answer;
    return { action: "accept", content: answer };
  };
}
