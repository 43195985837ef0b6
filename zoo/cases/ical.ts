import ical, {
  ICalCalendar,
  type ICalCalendarJSONData,
  type ICalEventData,
  type ICalEventJSONData,
} from "ical-generator";
import { accepts, gives, refuses } from "../expect.ts";

const make = (name: string): ICalCalendar => {
  const calendar = ical({ name });
  calendar.createEvent({ id: "e1", start: new Date(0), end: new Date(3_600_000), summary: "A", stamp: new Date(0) });
  return calendar;
};

/** Shows a calendar. */
export function calendar(name: string): ICalCalendar {
  return make(name);
}
gives(calendar, ["A"]);

/** Lists events. */
export async function events(name: string): Promise<ICalEventJSONData[]> {
  return make(name).toJSON().events;
}
gives(events, ["A"]);

/** Adds an event. */
export function add(
  event: Pick<ICalEventData, "start" | "end" | "summary" | "allDay">,
): Pick<ICalCalendarJSONData, "name" | "ttl"> {
  const all = new ICalCalendar({ name: "A" });
  all.createEvent(event);
  const { name, ttl } = all.toJSON();
  return { name, ttl };
}
accepts(add, [{ start: "2026-01-01T00:00:00Z", end: null, summary: "A" }]);
gives(add, [{ start: "2026-01-01T00:00:00Z" }], { name: "A", ttl: null });
refuses(add, [{}], [{ start: 5 }], [{ start: "a", allDay: "yes" }]);
