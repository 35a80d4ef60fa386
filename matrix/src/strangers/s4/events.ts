import { event } from "millrace";
import * as z from "zod";

export class Progress extends event("Progress", { percent: z.number() }) {}
