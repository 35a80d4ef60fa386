/** One measure with one driver, in this process: `node --expose-gc subject.ts <scenario> <measure> <driver>` prints what it found as JSON. */
import { type Driver, drivers } from "./measure.ts";
import { scenarios } from "./scenarios/index.ts";

const [scenario = "", index = "", driver = ""] = process.argv.slice(2);
const measure = (await scenarios[scenario]?.())?.measures[Number(index)];
if (measure === undefined || !drivers.includes(driver as Driver))
  throw new TypeError(`There is no measure ${index} of "${scenario}" with ${driver}`);
process.stdout.write(JSON.stringify(await measure.take(driver as Driver)));
