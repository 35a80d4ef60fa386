/**
 * Whether an address is on the internet. Callers choose where push notifications go; they must not reach what only this process
 * can reach: itself, its network, the metadata of its cloud.
 *
 * @see https://a2a-protocol.org/latest/specification/ section 13.2
 * @module
 */
import type { BlockList } from "node:net";

type Net = typeof import("node:net");

/** Everything that is not unicast on the internet: private, shared, link-local, loopback, documentation, multicast, reserved. */
const subnets4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 \
192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3";
/** Inside of 2000::/3: addresses that hold others, and documentation. */
const subnets6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";

interface Lists {
  readonly blocked: BlockList;
  readonly global6: BlockList;
}

let lists: Lists | null = null;

function listsOf(net: Net): Lists {
  if (lists !== null) return lists;
  const blocked = new net.BlockList();
  const global6 = new net.BlockList();
  for (const [family, subnets] of Object.entries({ ipv4: subnets4, ipv6: subnets6 }))
    for (const subnet of subnets.split(" ")) {
      const [address = "", prefix] = subnet.split("/");
      blocked.addSubnet(address, Number(prefix), family as "ipv4" | "ipv6");
    }
  global6.addSubnet("2000::", 3, "ipv6");
  lists = { blocked, global6 };
  return lists;
}

/** @param address An IP address. */
export function isPublicAddress(address: string, net: Net): boolean {
  const { blocked, global6 } = listsOf(net);
  const family = net.isIP(address);
  if (family === 4) return !blocked.check(address, "ipv4");
  return family === 6 && global6.check(address, "ipv6") && !blocked.check(address, "ipv6");
}
