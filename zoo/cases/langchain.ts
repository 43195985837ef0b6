import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from "@langchain/core/messages";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { accepts, gives, refuses } from "../expect.ts";

/** Answers. */
export async function answer(question: string): Promise<{ content: AIMessage["content"] }> {
  const chain = ChatPromptTemplate.fromTemplate("Answer {question}").pipe(
    new FakeListChatModel({ responses: ["Hello."] }),
  );
  const { content } = await chain.invoke({ question });
  return { content };
}
gives(answer, ["Hi"], { content: "Hello." });

/** Shows a message. */
export function message(text: string): HumanMessage {
  return new HumanMessage(text);
}
gives(message, ["Hi"]);

/** Stores messages. */
export function store(texts: string[]): StoredMessage[] {
  return mapChatMessagesToStoredMessages(texts.map((text) => new AIMessage({ content: text, id: "a" })));
}
gives(store, [["Hi"]]);

/** Restores messages. */
export function restore(messages: StoredMessage[]): BaseMessage["content"][] {
  return mapStoredMessagesToChatMessages(messages).map(({ content }) => content);
}
accepts(restore, [[{ type: "human", data: { content: "Hi", role: "user", name: "A", tool_call_id: "t" } }]]);
refuses(restore, [[{ type: "human" }]], [[{ type: 5, data: { content: "Hi" } }]]);

/** Finds documents. */
export async function find(text: string): Promise<Document<{ page: number }>[]> {
  return [new Document({ pageContent: text, metadata: { page: 1 } })];
}
gives(find, ["A"], [{ pageContent: "A", metadata: { page: 1 } }]);
