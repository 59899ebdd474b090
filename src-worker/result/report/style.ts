/** The style sheet of report.html: steel for the source, straw for the master, blue for the target, bronze for reduction. */
export const reportStyle = `
:root{color-scheme:dark;--well:#0b0e10;--window:#101417;--panel:#161b1f;--raised:#1f262b;--line:#272f36;--line-strong:#66727d;
--text:#eaeef1;--text-2:#b3bdc6;--text-3:#909ba5;--accent:#ead08a;--accent-soft:#2a281e;--focus:#9cc9ff;--ok:#84cfa6;--warn:#f2a65e;--warn-soft:#2c2118;
--in:#8b98a4;--in-dim:#47525b;--out:#ead08a;--out-dim:#74683f;--aim:#8fbdf5;--cut:#d18f5c;--grid:#1c2328;--grid-strong:#2b343b}
@media (prefers-color-scheme:light){:root{color-scheme:light;--well:#fafbfb;--window:#e4e8ea;--panel:#f1f3f4;--raised:#fff;--line:#d0d6da;--line-strong:#77828b;
--text:#12171a;--text-2:#404b54;--text-3:#55606a;--accent:#966f00;--accent-soft:#f2e9cd;--focus:#0a58b8;--ok:#0f6a40;--warn:#8f4a00;--warn-soft:#f6e5d2;
--in:#6e7a84;--in-dim:#b7c0c7;--out:#966f00;--out-dim:#d9c07a;--aim:#1a63b5;--cut:#a75a1d;--grid:#e7ebed;--grid-strong:#cfd6da}}
*{box-sizing:border-box}
html{background:var(--window);color:var(--text);font:420 14px/1.55 "Archivo","Pretendard",system-ui,-apple-system,"Segoe UI","Apple SD Gothic Neo","Malgun Gothic","Noto Sans CJK KR",sans-serif;
-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:1120px;padding:0 32px 64px}
:lang(ko){word-break:keep-all}
html[lang=en] [lang=ko],html[lang=ko] [lang=en]{display:none}
.bar{display:flex;align-items:center;gap:10px;height:48px;margin:0 -32px;padding:0 32px;border-bottom:1px solid var(--line);font-weight:620}
.bar svg{width:20px;height:16px;color:var(--accent)}
.switch{margin-left:auto;display:flex;border:1px solid var(--line-strong);border-radius:5px;overflow:hidden}
.switch button{all:unset;cursor:pointer;padding:3px 12px;font-size:12px;font-weight:420;color:var(--text-2)}
.switch button[aria-pressed=true]{background:var(--raised);color:var(--text);font-weight:560;box-shadow:inset 0 2px var(--text-3)}
.switch button:focus-visible,.tabs input:focus-visible+label{outline:2px solid var(--focus);outline-offset:-2px}
h1{font-size:34px;line-height:1.2;font-weight:620;margin:40px 0 4px;overflow-wrap:anywhere}
h2{font-size:17px;font-weight:620;margin:48px 0 12px}
h3{font-size:14px;font-weight:620;margin:0 0 8px}
p{margin:0 0 8px;max-width:72ch}
.summary{margin:12px 0 0;max-width:72ch;overflow-wrap:anywhere}
.meta{color:var(--text-2);margin:0;overflow-wrap:anywhere}
.quiet{color:var(--text-3)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));background:var(--panel);border:1px solid var(--line);border-radius:8px;overflow:hidden;margin:28px 0 0}
.figures>div{padding:14px 16px;border-top:2px solid transparent;box-shadow:1px 0 var(--line),0 1px var(--line)}
.figures>div.out{border-top-color:var(--accent)}
.figures dt{font-size:12px;color:var(--text-3)}
.figures dd{margin:2px 0 0;font-size:22px;font-weight:560;line-height:1.3;white-space:nowrap}
.figures dd small,.unit-small{font-size:12px;font-weight:420;color:var(--text-3);margin-left:2px}
.figures .note{font-size:12px;color:var(--text-2);font-weight:420;white-space:normal}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{padding:9px 12px 9px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-size:12px;font-weight:420;color:var(--text-3);white-space:nowrap}
tbody th{font-size:13px;font-weight:560;color:var(--text)}tbody th small{display:block;font-weight:420;color:var(--text-3);font-size:12px}
td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:lining-nums}
td small{display:block;color:var(--text-3);font-size:12px}
tr.source td,tr.source th{color:var(--text-2);font-weight:420}
.ok{color:var(--ok);white-space:nowrap}
.tag{display:inline-block;padding:1px 8px;border-radius:3px;background:var(--warn-soft);color:var(--warn);white-space:nowrap}
.notes{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:8px;background:var(--panel)}
.notes li{display:flex;gap:12px;padding:10px 16px;border-top:1px solid var(--line)}
.notes li:first-child{border-top:0}
.notes .mark{color:var(--warn);flex:none}
.tabs>input{position:absolute;opacity:0;pointer-events:none}
.tablist{display:flex;flex-wrap:wrap;border:1px solid var(--line-strong);border-radius:5px;overflow:hidden;width:fit-content;max-width:100%;margin-bottom:16px}
.tablist label{cursor:pointer;padding:7px 16px;border-right:1px solid var(--line);color:var(--text-2);border-top:2px solid transparent}
.tablist label:last-child{border-right:0}
.tablist b{font-weight:560;margin-left:6px}
.panel{display:none}
.well{background:var(--well);border:1px solid var(--line);border-radius:8px;padding:16px 16px 12px;margin:0 0 16px}
figure{margin:0}
figcaption{font-size:13px;color:var(--text-2);margin:8px 0 0}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:12px;color:var(--text-2);margin:0 0 8px;padding:0;list-style:none}
.legend i{display:inline-block;width:18px;height:0;border-top:2px solid;vertical-align:middle;margin-right:6px}
.legend .l-in{border-color:var(--in);border-top-width:1.5px}.legend .l-out{border-color:var(--out);border-top-width:3px}
.legend .l-aim{border-color:var(--aim);border-top-style:dashed}.legend .l-cut{border-color:var(--cut);border-top-width:6px}
svg{display:block;width:100%;min-width:640px;height:auto}
.bar svg{min-width:0;display:block}
.line{fill:none;stroke-linejoin:round;stroke-linecap:round}
.in{stroke:var(--in);stroke-width:1.3}.out{stroke:var(--out);stroke-width:2}.thin{stroke-width:1}.out.thin{stroke-width:1.4}
.aim{fill:none;stroke:var(--aim);stroke-width:1.5;stroke-dasharray:6 4}
.aim-text{fill:var(--aim);font-size:12px;font-weight:560}
.in-fill{fill:var(--in-dim)}.out-fill{fill:var(--out);opacity:.28;stroke:var(--out);stroke-width:1.2}.out-area{fill:var(--out);opacity:.1}.cut-fill{fill:var(--cut)}
.grid{stroke:var(--grid);stroke-width:1;fill:none}.grid.strong{stroke:var(--grid-strong)}
.tick{fill:var(--text-3);font-size:11px;text-anchor:end}.tick.mid{text-anchor:middle}
.lane{fill:var(--text);font-size:12px;font-weight:560}.unit{fill:var(--text-3);font-size:11px}
.two{display:grid;grid-template-columns:1fr 1fr;gap:0 40px}
dl.list{margin:0;font-size:13px}
dl.list div{display:flex;justify-content:space-between;gap:16px;padding:8px 0;border-bottom:1px solid var(--line)}
dl.list dt{color:var(--text-2);flex:none}dl.list dd{margin:0;text-align:right;overflow-wrap:anywhere}
ol.done{list-style:none;margin:0;padding:0;font-size:13px}
ol.done li{display:grid;grid-template-columns:88px 1fr;gap:16px;padding:8px 0;border-bottom:1px solid var(--line)}
ol.done .stage{color:var(--text-3)}
code{font:12px/1.5 "Geist Mono",ui-monospace,Consolas,monospace;overflow-wrap:anywhere;color:var(--text-2)}
.files tbody th{white-space:normal;overflow-wrap:anywhere;min-width:24ch}.files code{white-space:nowrap}
footer{margin-top:56px;padding-top:16px;border-top:1px solid var(--line);color:var(--text-3);font-size:12px}
@media (max-width:760px){body{padding:0 16px 48px}.bar{margin:0 -16px;padding:0 16px}.two{grid-template-columns:1fr}h1{font-size:26px;margin-top:28px}.well{overflow-x:auto}}
@media print{
:root{color-scheme:light;--well:#fff;--window:#fff;--panel:#fff;--raised:#fff;--line:#cfd6da;--line-strong:#77828b;--text:#000;--text-2:#333;--text-3:#555;--accent:#966f00;
--ok:#0f6a40;--warn:#8f4a00;--warn-soft:#fff;--in:#6e7a84;--in-dim:#b7c0c7;--out:#966f00;--aim:#1a63b5;--cut:#a75a1d;--grid:#e7ebed;--grid-strong:#cfd6da}
html{font-size:11px}body{max-width:none;padding:0}.bar{margin:0;padding:0}.switch,.tablist{display:none}.panel{display:block!important;break-inside:avoid}h1{margin-top:16px}h2{margin-top:24px;break-after:avoid}
.well{break-inside:avoid;padding:8px}svg{min-width:0}tr,.notes li,ol.done li{break-inside:avoid}
.scroll{overflow:visible}table{font-size:10px}th,td{padding:5px 7px 5px 0}th{white-space:normal;font-size:9px}tbody th{font-size:10px}td small,tbody th small,code{font-size:9px}.tag{padding-left:0}.files code{white-space:normal}.figures dd{font-size:16px}.figures{grid-template-columns:repeat(auto-fit,minmax(106px,1fr))}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
@page{margin:14mm}
`
