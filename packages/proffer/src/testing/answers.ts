/** A question that the server sent to the client. */
export interface Asked {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: { readonly [key: string]: unknown };
}

/**
 * The answer to one question: "decline", "cancel", or an object. For a form, the object is its content, unless it has
 * an `action`; for sampling and roots, it is the whole response.
 */
export type ScriptedAnswer = "decline" | "cancel" | { readonly [key: string]: unknown };

/** The answers in the order of the questions, or a function that answers each question. */
export type ScriptedAnswers = readonly ScriptedAnswer[] | ((asked: Asked) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Creates a function that answers questions with the responses of the protocol. */
export function createAnswerer(answers: ScriptedAnswers | undefined): (asked: Asked) => Promise<object> {
  let next = 0;
  return async (asked) => {
    const answer = typeof answers === "function" ? await answers(asked) : answers?.[next++];
    if (answer === undefined) {
      throw new Error(
        `The server asked ${JSON.stringify(asked)}, but the test has no answer for it. Add one to the answers option.`,
      );
    }
    if (answer === "decline" || answer === "cancel") return { action: answer };
    if (asked.method !== "elicitation/create" || "action" in answer) return answer;
    return { action: "accept", content: answer };
  };
}

/** The questions of a response, by key. */
export type Questions = { readonly [key: string]: Asked };

/** Answers the questions in their order. */
export async function answerAll(
  questions: Questions = {},
  answer: (asked: Asked) => Promise<object>,
): Promise<{ readonly [key: string]: object }> {
  const responses: Record<string, object> = {};
  for (const [key, asked] of Object.entries(questions)) responses[key] = await answer(asked);
  return responses;
}
