/** Frame and style of the pages of an exported folder: self-contained files, for light and dark screens and for paper. Pure. */

import type { Language } from '../../src-contract/text/language.ts'
import { escapeHtml } from '../../src-worker/result/escape-html.ts'

const LIGHT = `color-scheme:light;--window:#fff;--panel:#f4f6f7;--line:#d0d6da;--line-strong:#77828b;--text:#12171a;--text-2:#404b54;--text-3:#55606a;
--accent:#966f00;--accent-soft:#f7f0dc;--ok:#0f6a40;--warn:#8f4a00;--warn-soft:#f8ecdf`
const DARK = `color-scheme:dark;--window:#101417;--panel:#161b1f;--line:#272f36;--line-strong:#66727d;--text:#eaeef1;--text-2:#b3bdc6;--text-3:#909ba5;
--accent:#ead08a;--accent-soft:#2a281e;--ok:#84cfa6;--warn:#f2a65e;--warn-soft:#2c2118`

/** Colours and type of the application, with tabular figures; no row is split between printed pages. */
export const PAGE_STYLE = `
:root{${LIGHT}}
@media screen and (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
html{background:var(--window);color:var(--text);font:400 14px/1.55 "Archivo","Pretendard",system-ui,-apple-system,"Segoe UI","Apple SD Gothic Neo","Malgun Gothic","Noto Sans CJK KR",sans-serif;-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:1040px;padding:40px 32px 64px}
:lang(ko){word-break:keep-all}
header{border-top:2px solid var(--accent);padding-top:16px}
.kind{margin:0;font-size:12px;font-weight:600;color:var(--accent);letter-spacing:.02em}
h1{margin:2px 0 0;font-size:34px;line-height:1.2;font-weight:640;overflow-wrap:anywhere}
.by{margin:4px 0 0;font-size:17px;color:var(--text-2)}
.facts{display:flex;flex-wrap:wrap;gap:4px 20px;margin:14px 0 0;padding:0;list-style:none;font-size:13px;color:var(--text-3)}
.facts b{font-weight:560;color:var(--text-2)}
.sum{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,auto));margin:28px 0 0;background:var(--panel);border:1px solid var(--line);border-radius:8px}
.sum div{padding:12px 16px}
.sum dt{font-size:12px;color:var(--text-3)}
.sum dd{margin:0;font-size:20px;font-weight:580;line-height:1.4;white-space:nowrap;font-variant-numeric:tabular-nums}
.sum dd small{margin-left:3px;font-size:12px;font-weight:400;color:var(--text-3)}
h2{margin:44px 0 10px;font-size:17px;font-weight:640;break-after:avoid}
h3{margin:24px 0 6px;font-size:14px;font-weight:600;break-after:avoid}
h3 .state{float:right}
p{margin:0 0 8px;max-width:76ch}
.note,small,.foot{color:var(--text-3)}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:13px}
tr{break-inside:avoid}
thead{display:table-header-group}
th,td{padding:7px 12px 7px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-size:12px;color:var(--text-3);white-space:nowrap;vertical-align:bottom}
tbody th{font-weight:560;overflow-wrap:anywhere}
tbody th small,td small{display:block;font-size:12px;font-weight:400;overflow-wrap:anywhere}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.state{white-space:nowrap;font-size:13px;font-weight:560}
.pass,.stated{color:var(--ok)}
.pass::before{content:"✓ "}
.remedy,.open{color:var(--warn)}
.remedy::before{content:"! "}
.not_measured{color:var(--text-3)}
.not_measured::before{content:"– "}
.mend{margin:0;padding:0;list-style:none}
.mend li{margin:0 0 8px;padding:10px 14px;background:var(--warn-soft);border-left:3px solid var(--warn);border-radius:0 6px 6px 0;break-inside:avoid}
.mend b{font-weight:600}
code{font:11px/1.5 "Geist Mono",ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.receivers{columns:2;column-gap:36px}
.receivers article{break-inside:avoid;padding-top:1px}
.receivers h3{margin-top:14px}
.receivers td:last-child{padding-right:0;text-align:right}
.sign{margin:56px 0 0;padding-top:6px;width:280px;border-top:1px solid var(--line-strong);font-size:12px;color:var(--text-3)}
.foot{margin-top:40px;padding-top:12px;border-top:1px solid var(--line);font-size:12px}
@media screen and (max-width:720px){body{padding:24px 16px}.receivers{columns:1}}
@page{size:A4;margin:16mm 14mm}
@media print{html{font-size:11px}body{max-width:none;padding:0}h1{font-size:26px}h2{margin-top:26px;font-size:15px}h3{margin-top:14px;font-size:12px}table{font-size:10.5px}
th,td{padding:4px 9px 4px 0}tbody th small,td small,small,.facts,.kind,.sum dt,.sign,.foot{font-size:9.5px}.state,thead th{font-size:10px}code{font-size:8.5px}.by{font-size:13px}.sum{margin-top:16px}.sum dd{font-size:17px}.scroll{overflow:visible}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`

/** Returns a page without any reference to another file. */
export function page({
  language,
  title,
  style,
  body,
}: {
  readonly language: Language
  readonly title: string
  readonly style: string
  readonly body: string
}): string {
  return [
    `<!doctype html>`,
    `<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">`,
    `<meta name="generator" content="Loudsmith"><title>${escapeHtml(title)}</title><style>${style}</style></head>`,
    `<body>${body}</body></html>\n`,
  ].join('\n')
}
