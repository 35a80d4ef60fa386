import { Module } from "@nestjs/common";
import { Model } from "./model.js";
import { Payments } from "./payments.js";

/** What workflows use. A module in `imports` of the runtime ends after it, so running steps still have their services. */
@Module({ providers: [Model, Payments], exports: [Model, Payments] })
export class ServicesModule {}
