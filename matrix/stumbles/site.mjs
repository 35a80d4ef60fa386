/** What the strangers missed on the site, by its tests and its build. */
export const siteStumbles = [
  { typed: "a picture on the first page", says: /const hero = .*image/ },
  { typed: "guides in groups, beside all pages", says: /The navigation of the site is the list in docs\/README\.md/ },
  { typed: "tabs of package managers", says: /have tabs for the package managers, with the same commands/ },
  { typed: "a picker of frameworks", says: /have a picker of frameworks, which remembers the choice/ },
  { typed: "code that is cut off at 1280 px", says: /are readable, %i wide and %s/ },
  { typed: "search: approve, chat, human in the loop", says: /"human in the loop"[\s\S]*"approve"[\s\S]*"chat"/ },
  { typed: "search: guides before the API", says: /are found by the words of readers, the guide first/ },
  { typed: "links to sources and packages", says: /lead from one to the other, and to source files/ },
];
