/** The peer: a graph of nodes that hand on one number, with its checkpoints in memory. */
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";

/** Its types count the nodes; a graph of a hundred, made in a loop, goes without. */
interface LooseGraph {
  addNode(name: string, run: (state: Count) => Promise<Count>): LooseGraph;
  addEdge(from: string, to: string): LooseGraph;
  compile(options: { readonly checkpointer: MemorySaver }): {
    invoke(state: Count, options: object): Promise<Count>;
  };
}
type Count = { readonly count: number };

export function langgraphChain(steps: number): () => Promise<number> {
  let graph = new StateGraph(Annotation.Root({ count: Annotation<number>() })) as unknown as LooseGraph;
  const names = Array.from({ length: steps }, (_, place) => `step${place}`);
  for (const name of names) graph = graph.addNode(name, async ({ count }) => ({ count: count + 1 }));
  for (const [place, name] of names.entries()) graph = graph.addEdge(names[place - 1] ?? START, name);
  const app = graph.addEdge(names.at(-1) ?? START, END).compile({ checkpointer: new MemorySaver() });
  let runs = 0;
  return async () => {
    const options = { recursionLimit: steps + 1, configurable: { thread_id: String(runs++) } };
    return (await app.invoke({ count: 0 }, options)).count;
  };
}
