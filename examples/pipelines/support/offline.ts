/** For tests, imported first: no example asks a real model, whatever the machine has. */
process.env["OPENAI_API_KEY"] = "";
