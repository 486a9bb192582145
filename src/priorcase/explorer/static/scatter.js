// Points drawn with WebGL, which is fast enough to redraw 50,000 points at every step of a zoom. No library is used,
// because WebGL libraries based on regl generate code at run time, which the Content-Security-Policy forbids.

const VERTEX = `
attribute vec2 place;
attribute vec4 color;
uniform vec2 center;
uniform vec2 zoom;
uniform float size;
varying vec4 fill;
void main() {
  gl_Position = vec4((place - center) * zoom, 0.0, 1.0);
  gl_PointSize = size;
  fill = color;
}`;
const FRAGMENT = `
precision mediump float;
varying vec4 fill;
void main() {
  float away = length(gl_PointCoord - vec2(0.5)) * 2.0;
  float inside = 1.0 - smoothstep(0.75, 1.0, away);
  if (inside <= 0.0) discard;
  gl_FragColor = vec4(fill.rgb, 1.0) * fill.a * inside;
}`;
const CLOSEST = 2000; // maximum magnification

/** Draw points on a canvas; return null if the browser has no WebGL. `changed` is called when the view moves. */
export function scatter(canvas, changed) {
  const gl = canvas.getContext("webgl", { antialias: true, premultipliedAlpha: true, alpha: true });
  if (!gl) return null;
  let places = new Float32Array(0);
  let colors = new Uint8Array(0);
  let parts = null;
  let asked = 0;
  let home = null; // the box that fits the canvas until the user moves the map
  const view = { x: 0, y: 0, scale: 1 };

  function shader(kind, text) {
    const made = gl.createShader(kind);
    gl.shaderSource(made, text);
    gl.compileShader(made);
    return made;
  }

  function begin() {
    const program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, shader(gl.FRAGMENT_SHADER, FRAGMENT));
    gl.linkProgram(program);
    gl.useProgram(program);
    const attribute = (name) => {
      const at = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(at);
      return at;
    };
    parts = { place: attribute("place"), color: attribute("color"), placeBuffer: gl.createBuffer(), colorBuffer: gl.createBuffer() };
    for (const name of ["center", "zoom", "size"]) parts[name] = gl.getUniformLocation(program, name);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    fillPlaces();
    fillColors();
  }

  function fillPlaces() {
    gl.bindBuffer(gl.ARRAY_BUFFER, parts.placeBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
    gl.vertexAttribPointer(parts.place, 2, gl.FLOAT, false, 0, 0);
  }

  function fillColors() {
    gl.bindBuffer(gl.ARRAY_BUFFER, parts.colorBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, colors, gl.STATIC_DRAW);
    gl.vertexAttribPointer(parts.color, 4, gl.UNSIGNED_BYTE, true, 0, 0);
  }

  /** Return the number of pixels per unit of the map. */
  const unit = () => 0.47 * Math.min(canvas.clientWidth, canvas.clientHeight) * view.scale;
  const pointSize = () => Math.max(2.5, Math.min(11, 150 / Math.sqrt(places.length / 2 + 1) + 1.2)) * Math.min(2.2, view.scale ** 0.35);

  function draw() {
    asked = 0;
    if (gl.isContextLost() || !canvas.clientWidth) return;
    const ratio = window.devicePixelRatio || 1;
    const [wide, tall] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== wide || canvas.height !== tall) [canvas.width, canvas.height] = [wide, tall];
    gl.viewport(0, 0, wide, tall);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!places.length || colors.length !== 2 * places.length) return;
    gl.uniform2f(parts.center, view.x, view.y);
    gl.uniform2f(parts.zoom, (2 * unit()) / canvas.clientWidth, (2 * unit()) / canvas.clientHeight);
    gl.uniform1f(parts.size, pointSize() * ratio);
    gl.drawArrays(gl.POINTS, 0, places.length / 2);
  }

  /** Show a box as large as possible; both axes have the same unit, so that distances are shown correctly. */
  function fitTo([x0, x1, y0, y1]) {
    const [wide, tall] = [canvas.clientWidth, canvas.clientHeight];
    if (!wide || !tall) return;
    const unitOfFit = 0.94 * Math.min(wide / Math.max(x1 - x0, 1e-6), tall / Math.max(y1 - y0, 1e-6));
    Object.assign(view, { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale: Math.max(0.5, Math.min(CLOSEST, unitOfFit / (0.47 * Math.min(wide, tall)))) });
  }

  function later() {
    if (!asked) asked = requestAnimationFrame(draw);
  }

  function moved() {
    home = null;
    view.scale = Math.max(0.5, Math.min(CLOSEST, view.scale));
    view.x = Math.max(-1.5, Math.min(1.5, view.x));
    view.y = Math.max(-1.5, Math.min(1.5, view.y));
    later();
    changed();
  }

  const lost = (event) => event.preventDefault();
  const restored = () => (begin(), later());
  canvas.addEventListener("webglcontextlost", lost);
  canvas.addEventListener("webglcontextrestored", restored);
  const watcher = new ResizeObserver(() => (home && fitTo(home), later(), changed()));
  watcher.observe(canvas);
  begin();

  return {
    view,
    isHome: () => home !== null,
    places: () => places,
    /** Show a box, or all points; with `goesOn`, fit the box again when the canvas is resized, until the user moves the map. */
    fit(box = null, goesOn = true) {
      fitTo(box ?? boxOf(places));
      home = goesOn ? (box ?? boxOf(places)) : null;
      later();
      changed();
    },
    setPlaces(next) {
      places = next;
      fillPlaces();
      later();
    },
    setColors(next) {
      colors = next;
      fillColors();
      later();
    },
    /** Convert positions on the canvas, in pixels from its corner, to positions on the map, and back. */
    toMap: (px, py) => [view.x + (px - canvas.clientWidth / 2) / unit(), view.y - (py - canvas.clientHeight / 2) / unit()],
    toPixels: (x, y) => [(x - view.x) * unit() + canvas.clientWidth / 2, canvas.clientHeight / 2 - (y - view.y) * unit()],
    pan(px, py) {
      view.x -= px / unit();
      view.y += py / unit();
      moved();
    },
    /** Zoom around a point of the canvas, which stays in place. */
    zoom(factor, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2) {
      const before = this.toMap(px, py);
      view.scale = Math.max(0.5, Math.min(CLOSEST, view.scale * factor));
      const after = this.toMap(px, py);
      view.x += before[0] - after[0];
      view.y += before[1] - after[1];
      moved();
    },
    look(x, y, scale) {
      Object.assign(view, { x, y, scale });
      moved();
    },
    /** Return the index of the point nearest to a position on the canvas, within some pixels; -1 if there is none. */
    nearest(px, py, within) {
      const [x, y] = this.toMap(px, py);
      let best = (within / unit()) ** 2;
      let found = -1;
      for (let i = 0; i < places.length; i += 2) {
        const away = (places[i] - x) ** 2 + (places[i + 1] - y) ** 2;
        if (away < best) [best, found] = [away, i / 2];
      }
      return found;
    },
    /** Return the indexes of the points within a polygon on the canvas (even-odd rule). */
    within(corners) {
      const polygon = corners.map(([px, py]) => this.toMap(px, py));
      const found = [];
      for (let i = 0; i < places.length; i += 2) {
        const [x, y] = [places[i], places[i + 1]];
        let inside = false;
        for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
          const [[ax, ay], [bx, by]] = [polygon[a], polygon[b]];
          if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
        }
        if (inside) found.push(i / 2);
      }
      return found;
    },
    end() {
      cancelAnimationFrame(asked);
      watcher.disconnect();
      canvas.removeEventListener("webglcontextlost", lost);
      canvas.removeEventListener("webglcontextrestored", restored);
      gl.getExtension("WEBGL_lose_context")?.loseContext();
    },
  };
}

/** Return the bounding box of all points. */
function boxOf(places) {
  const box = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < places.length; i += 1) {
    const at = 2 * (i % 2);
    box[at] = Math.min(box[at], places[i]);
    box[at + 1] = Math.max(box[at + 1], places[i]);
  }
  return places.length ? box : [-1, 1, -1, 1];
}
