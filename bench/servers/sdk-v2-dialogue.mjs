import { acceptedContent, createRequestStateCodec, inputRequired } from "@modelcontextprotocol/server";
import { dialogueText, QUESTIONS, questionText, textResult } from "../workload/definition.mjs";
import { QUESTION_SCHEMA } from "../workload/json-schemas.mjs";
import { QUESTION } from "../workload/schemas.mjs";

/** Signs the state of questions on the newest revision. */
export const STATE = createRequestStateCodec({ key: Buffer.alloc(32, 7) });

const KEY = "question";

/** The dialogue as this SDK requires it: one version for the older revisions, one for the newest. */
export async function dialogue(_args, context) {
  return context.mcpReq.envelope === undefined ? askedInTurn(context) : askedInRounds(context);
}

async function askedInTurn(context) {
  const values = [];
  while (values.length < QUESTIONS) {
    const question = { message: questionText(values.length), requestedSchema: QUESTION_SCHEMA };
    const { content } = await context.mcpReq.elicitInput(question);
    values.push(content.value);
  }
  return textResult(dialogueText(values));
}

async function askedInRounds(context) {
  const values = context.mcpReq.requestState() ?? [];
  const answer = acceptedContent(context.mcpReq.inputResponses, KEY, QUESTION);
  if (answer !== undefined) values.push(answer.value);
  if (values.length === QUESTIONS) return textResult(dialogueText(values));
  const question = inputRequired.elicit({ message: questionText(values.length), requestedSchema: QUESTION_SCHEMA });
  return inputRequired({ inputRequests: { [KEY]: question }, requestState: await STATE.mint(values) });
}
