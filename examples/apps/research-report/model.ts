/** A model over HTTP. Without `OPENAI_API_KEY` a script answers, so that the example costs nothing. */
export type Ask = (prompt: string, signal?: AbortSignal) => Promise<string>;

const script: Ask = async (prompt) => `${prompt.split(":")[0]}: ${prompt.length} letters long.`;

const openai: Ask = async (prompt, signal) => {
  const response = await fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env["OPENAI_API_KEY"]}` },
    body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content: prompt }] }),
    ...(signal !== undefined && { signal }),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}.`);
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
};

export const usualAsk: Ask = process.env["OPENAI_API_KEY"] === undefined ? script : openai;
