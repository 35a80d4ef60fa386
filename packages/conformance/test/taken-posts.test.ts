import { memoryStore } from "millrace/runtime";
import { takenPostsSuite } from "../src/posts/index.js";

takenPostsSuite("memoryStore", async () => memoryStore());
