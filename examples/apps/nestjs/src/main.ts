import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks(); // SIGTERM: running steps finish, and the next process continues the runs
await app.listen(process.env["PORT"] ?? 3000, "127.0.0.1");
