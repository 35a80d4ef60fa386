import { Injectable } from "@nestjs/common";

/** A model that speaks the API of OpenAI. Without settings, the script of `npm run model`. */
@Injectable()
export class Model {
  async ask(content: string): Promise<string> {
    const { MODEL_URL = "http://127.0.0.1:4000/v1", MODEL = "script", MODEL_KEY = "none" } = process.env;
    const response = await fetch(`${MODEL_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${MODEL_KEY}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content }] }),
    });
    if (!response.ok) throw new Error(`The model answered ${response.status}.`);
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    return choices[0]?.message.content ?? "";
  }
}
