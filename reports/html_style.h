#pragma once

namespace jade::reports {

inline constexpr const char* kHtmlStyle = R"css(
:root { --ink:#1c2430; --soft:#5d6979; --line:#dfe4ea; --paper:#ffffff; --panel:#f6f8fa; --pass:#0b7a55; --passbg:#e3f5ed;
  --fail:#b3261e; --failbg:#fde8e6; --find:#9a5b00; --findbg:#fff1d9; --na:#8a94a1; --accent:#00866a; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6eaf0; --soft:#9aa6b5; --line:#2d3641; --paper:#12171d; --panel:#1a2129;
  --pass:#5fd3a8; --passbg:#12382b; --fail:#ff9a90; --failbg:#46191a; --find:#f3bd68; --findbg:#3d2c10; --na:#6d7885; --accent:#35c7a0; } }
* { box-sizing: border-box; }
body { margin:0; background:var(--paper); color:var(--ink); font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif; }
main { max-width:1180px; margin:0 auto; padding:28px 24px 80px; }
h1 { font-size:30px; margin:0 0 2px; letter-spacing:-.02em; } h1 b { color:var(--accent); }
h2 { font-size:21px; margin:44px 0 10px; } h3 { font-size:17px; margin:0 0 2px; }
p { margin:4px 0 12px; } .soft { color:var(--soft); } code { font:13px ui-monospace,"DejaVu Sans Mono",monospace; }
.tiles { display:flex; flex-wrap:wrap; gap:12px; margin:20px 0; }
.tile { background:var(--panel); border:1px solid var(--line); border-top:4px solid var(--c); border-radius:8px; padding:10px 14px; min-width:150px; flex:1; }
.tile b { display:block; font-size:13.5px; } .tile span { font-size:13px; color:var(--soft); } .tile strong { font-size:22px; }
.scroll { overflow-x:auto; }
table { border-collapse:collapse; width:100%; font-size:13.5px; } th,td { text-align:left; padding:6px 9px; border-bottom:1px solid var(--line); vertical-align:top; }
th { color:var(--soft); font-weight:600; } td.n, th.n { text-align:right; font-variant-numeric:tabular-nums; white-space:nowrap; }
.matrix td { padding:3px; } .matrix th { vertical-align:bottom; } .matrix td:first-child { padding:6px 9px; white-space:nowrap; } .matrix a { color:inherit; }
.cell { display:block; border-radius:6px; padding:5px 8px; font-variant-numeric:tabular-nums; white-space:nowrap; }
.cell small { opacity:.8; display:block; font-size:11.5px; font-weight:400; }
.pass { color:var(--pass); background:var(--passbg); } .fail { color:var(--fail); background:var(--failbg); font-weight:600; }
.finding { color:var(--find); background:var(--findbg); } .na { color:var(--na); }
.tag { border-radius:4px; padding:1px 7px; font-size:12.5px; white-space:nowrap; }
.case { border:1px solid var(--line); border-radius:10px; padding:18px 20px; margin:18px 0; }
.plots { display:grid; grid-template-columns:repeat(auto-fill,minmax(440px,1fr)); gap:10px 22px; margin:10px 0; }
svg { width:100%; height:auto; } svg text { fill:var(--soft); font:11px system-ui,"DejaVu Sans",sans-serif; } svg .plot-title { fill:var(--ink); font-size:12.5px; font-weight:600; }
svg .grid { stroke:var(--line); } svg .frame { fill:none; stroke:var(--line); }
.legend { display:flex; flex-wrap:wrap; gap:4px 16px; font-size:13px; color:var(--soft); } .legend i { display:inline-block; width:18px; height:3px; margin-right:6px; vertical-align:middle; background:var(--c); }
.legend i.dash { background:repeating-linear-gradient(90deg,var(--ink) 0 5px,transparent 5px 9px); }
details summary { cursor:pointer; color:var(--accent); margin:6px 0; }
)css";

}  // namespace jade::reports
