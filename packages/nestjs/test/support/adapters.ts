import type { AbstractHttpAdapter } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";

export const adapters = {
  Express: (): AbstractHttpAdapter => new ExpressAdapter(),
  Fastify: (): AbstractHttpAdapter => new FastifyAdapter() as unknown as AbstractHttpAdapter,
};
