import { type calendar_v3, calendar as createClient } from "@googleapis/calendar";
import { accepts, cannotReturn, gives, refuses, returns, says } from "../expect.ts";

/** Creates an event. */
export async function createEvent(event: calendar_v3.Schema$Event): Promise<calendar_v3.Schema$Event> {
  return event;
}
accepts(
  createEvent,
  [{}],
  [
    {
      summary: "Lunch",
      start: { dateTime: "2026-01-01T12:00:00Z" },
      attendees: [{ email: "a@example.org", optional: null }],
    },
  ],
  [{ extendedProperties: { private: { a: "b" } }, reminders: { useDefault: false, overrides: [{ minutes: 5 }] } }],
);
refuses(
  createEvent,
  [{ summary: 5 }],
  [{ start: "2026-01-01" }],
  [{ attendees: { email: "a" } }],
  [{ sumary: "Lunch" }],
);
returns(createEvent, { id: "e", kind: "calendar#event", sequence: 0 });
cannotReturn(createEvent, { attendees: "all" });
says(createEvent, "colorId");

/** Checks who is free. */
export function freeBusy(request: calendar_v3.Schema$FreeBusyRequest): calendar_v3.Schema$FreeBusyResponse {
  throw new Error(String(request.timeMin));
}
accepts(freeBusy, [{ timeMin: "a", timeMax: "b", items: [{ id: "x" }] }]);
refuses(freeBusy, [{ items: ["x"] }]);
returns(freeBusy, { calendars: { x: { busy: [{ start: "a", end: "b" }] } } });
cannotReturn(freeBusy, { calendars: { x: { busy: "always" } } });

/** Lists events. */
export function listEvents(
  params: Pick<calendar_v3.Params$Resource$Events$List, "calendarId" | "maxResults" | "orderBy" | "timeMin">,
): calendar_v3.Schema$Events {
  throw new Error(params.calendarId);
}
accepts(listEvents, [{}], [{ calendarId: "primary", maxResults: 5, timeMin: "a" }]);
refuses(listEvents, [{ maxResults: "5" }]);
returns(listEvents, { items: [{ summary: "Lunch" }], nextPageToken: null });

/** Lists events with the options of the client. */
export function listWith(params: calendar_v3.Params$Resource$Events$List): void {
  throw new Error(params.calendarId);
}
accepts(listWith, [{}], [{ calendarId: "primary" }]);
refuses(listWith, [{ maxResults: "5" }]);

/** Shows a recorded event. */
export async function event(eventId: string): Promise<calendar_v3.Schema$Event> {
  const fetchImplementation = async () =>
    Response.json({ id: eventId, start: { dateTime: "2026-01-01T00:00:00Z" }, attendees: [{ self: true }] });
  const client = createClient({ version: "v3", fetchImplementation } as never);
  return (await client.events.get({ calendarId: "c", eventId })).data;
}
gives(event, ["e1"], { id: "e1", start: { dateTime: "2026-01-01T00:00:00Z" }, attendees: [{ self: true }] });
