import { server } from "../../../flows";

export const dynamic = "force-dynamic";
export const GET = server.fetch;
export const POST = server.fetch;
