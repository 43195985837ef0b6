import process from "node:process";
import { defineAlgocline } from "./algocline.ts";
import { findPlaces } from "./places.ts";

export default defineAlgocline(findPlaces(process.env, process.cwd()));
