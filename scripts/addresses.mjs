/**
 * Where the project can be read. Neither address exists yet; as soon as one does, it is written here and nowhere else.
 *
 * - `repository`: links in packed READMEs, and links of the site to source files, lead there. Such as `https://github.com/owner/name`.
 * - `site`: where `site/dist` is served. Such as `https://millrace.example`.
 */
export const addresses = { repository: null, site: null };
