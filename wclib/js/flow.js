"use strict";
// The spread of a few values through a sketch: brush, the page's window, p5, builtins, the sketch's own functions.
// Nodes are places a value can be in (variables, fields by name, results); edges say what flows where; listeners say what
// happens once a value arrives. Flow- and context-insensitive, so it errs towards "may". Everything that is put in a list,
// handed to a builtin or kept under a computed key shares one place, the heap; values from there are marked weak and are
// only objected to when the way they are used leaves no innocent reading.

class Place {
  constructor() {
    this.values = new Set();
    this.ready = []; // those of the values that have been passed on; the others still wait in the queue
    this.edges = [];
    this.listeners = [];
  }
}

const NONE = new Place();

const value = (kind, extra) => {
  const strong = { kind, weak: false, ...extra };
  strong.twin = { ...strong, weak: true };
  strong.twin.twin = strong.twin;
  return strong;
};

class Graph {
  constructor() {
    this.queue = [];
    this.heap = new Place();
    this.thrown = new Place();
    this.fields = new Map();
    this.globals = new Map();
    this.interned = new Map();
  }

  /** The one value of a kind and name, e.g. the builtin Math or the brush method fill. */
  the(kind, name = "") {
    const key = kind + ":" + name;
    let found = this.interned.get(key);
    if (!found) this.interned.set(key, (found = value(kind, { name })));
    return found;
  }

  field(name) {
    let place = this.fields.get(name);
    if (!place) this.fields.set(name, (place = new Place()));
    return place;
  }

  global(name) {
    let place = this.globals.get(name);
    if (!place) this.globals.set(name, (place = new Place()));
    return place;
  }

  holding(...values) {
    const place = new Place();
    for (const item of values) this.add(place, item);
    return place;
  }

  add(place, item) {
    if (place === NONE || place.values.has(item)) return;
    place.values.add(item);
    this.queue.push(place, item);
  }

  flow(from, to) {
    if (from === NONE || to === NONE || from === to) return;
    from.edges.push(to);
    for (const item of from.ready) this.pass(item, to);
  }

  pass(item, to) {
    if (to !== this.heap) this.add(to, item);
    else if (item.kind !== "string") this.add(to, item.twin);
  }

  /** Keep a place's values where any other part of the sketch may find them. */
  keep(from) {
    this.flow(from, this.heap);
  }

  store(name, from) {
    if (from === NONE) return;
    if (name !== null) this.flow(from, this.field(name));
    this.keep(from);
  }

  listen(place, heard) {
    if (place === NONE) return;
    place.listeners.push(heard);
    for (const item of [...place.ready]) heard(item);
  }

  union(...places) {
    const full = places.filter((place) => place !== NONE);
    if (full.length < 2) return full[0] ?? NONE;
    const all = new Place();
    for (const place of full) this.flow(place, all);
    return all;
  }

  settle() {
    const queue = this.queue;
    while (queue.length) {
      const item = queue.pop();
      const place = queue.pop();
      place.ready.push(item);
      const { edges, listeners } = place;
      for (let i = 0, n = edges.length; i < n; i++) this.pass(item, edges[i]);
      for (let i = 0, n = listeners.length; i < n; i++) listeners[i](item);
    }
  }
}

module.exports = { Graph, NONE, Place, value };
