"""Five changes to the installed p5.brush, made when it is read: the same pictures for much less work.

The file on disk stays as npm installed it. The changes are text replacements, so they are only made to the very file
they were written for, by checksum; another file is refused. tests/test_render_speed.py holds the pictures to the
original's.

- **Pigment once a draw, not once a pixel.** p5.brush mixes paint by Kubelka-Munk theory on 38 spectral bands in a
  fragment shader. Half of that belongs to the pigment, which is the same for every pixel of a draw: it moves to the
  vertex shader. Neighbouring bands in which all seven base reflectances are nearly equal become one (20 remain;
  0.2/255 apart at most on random colours), and ``pow(x, 2.0)``, an exponential and a logarithm to software GL, becomes
  ``x * x``.
- **Derivatives before the early return.** The original leaves the shader early where there is no paint and then takes
  derivatives, which GLSL leaves undefined: SwiftShader then paints another picture every time.
- **Shorter outlines.** A grown polygon has hundreds of corners, many less than a pixel apart. A corner closer than
  ``NEAR`` pixels to the previous one is not sent to the 2D canvas. Random numbers are drawn as before.
- **Random numbers skipped, not drawn.** A polygon that has all the corners it may have is not grown any more; the
  original then draws four random numbers a corner and throws them away. Its generator (Mulberry32) counts up, so the
  same numbers are passed over in one addition.
- **Masks uploaded from where they are.** The original copies the painted part of a mask to another canvas and uploads
  that; WebGL 2 can upload a part of a canvas itself. The bytes are the same.
"""

from __future__ import annotations

import hashlib
import re

import numpy as np

from wclib.errors import UsageError
from wclib.render.backends import CHANGES

#: SHA-256 of dist/p5.brush.js of p5.brush 2.2.2, the only file the changes fit.
BRUSH_SHA256 = "6991d50b458478e1783b974ba027f28a59bda06c3b3cc6c501a5b30a8a360bcb"
#: Corners nearer than this to the last one (pixels, Manhattan) are left out of an outline.
NEAR = 1.0
#: First band of each group of merged bands, found by merging greedily the pair that changes random mixes least.
GROUPS = (0, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25)

_NUMBER = r"([0-9.]+)"
_REFLECTANCE = re.compile(
    r"R\[\d+\]=max\(SPECTRAL_EPSILON," + r"\+".join(rf"{k}\*{_NUMBER}" for k in "wcmyrgb") + r"\)"
)
_TO_XYZ = re.compile(rf"xyz\+=R\[\d+\]\*vec3\({_NUMBER},{_NUMBER},{_NUMBER}\)")
_VERTEX = re.compile(r'"#version 300 es\\n#define GLSLIFY 1\\nout vec2 p;void main\(\)\{.*?\}"')
_FRAGMENT = re.compile(r'"#version 300 es\\nprecision highp float;\\n#define GLSLIFY 1\\nuniform bool u_isBrush.*?\}"')


def bands(source: str) -> tuple[np.ndarray, np.ndarray]:
    """The shader's 38 bands: reflectances of white, c, m, y, r, g, b (38 x 7) and weights to XYZ (38 x 3)."""
    reflectance = np.array([[float(v) for v in row] for row in _REFLECTANCE.findall(source)])
    to_xyz = np.array([[float(v) for v in row] for row in _TO_XYZ.findall(source)])
    return reflectance, to_xyz


def merged(reflectance: np.ndarray, to_xyz: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bands in ``GROUPS``: reflectances averaged by their XYZ weight, XYZ weights added up."""
    edges = (*GROUPS, len(to_xyz))
    spans = [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    weights = to_xyz.sum(axis=1)
    averaged = [np.average(reflectance[span], axis=0, weights=weights[span]) for span in spans]
    return np.array(averaged), np.array([to_xyz[span].sum(axis=0) for span in spans])


def _shaders(source: str) -> tuple[str, str]:
    reflectance, to_xyz = merged(*bands(source))
    count = len(reflectance)

    def number(value: float) -> str:
        return f"{value:.16f}"

    def band(i: int) -> str:
        return "+".join(f"{k}*{number(v)}" for k, v in zip("wcmyrgb", reflectance[i], strict=True))

    def vec3(values: np.ndarray) -> str:
        return f"vec3({','.join(number(v) for v in values)})"

    decompose = """
float w=min(l.r,min(l.g,l.b));l-=w;float c=min(l.g,l.b);float m=min(l.r,l.b);float y=min(l.r,l.g);
float r=min(max(0.0,l.r-l.b),max(0.0,l.r-l.g));float g=min(max(0.0,l.g-l.b),max(0.0,l.g-l.r));
float b=min(max(0.0,l.b-l.g),max(0.0,l.b-l.r));"""
    linear = """
float uncompand(float x){return x<0.04045?x/12.92:pow((x+0.055)/1.055,2.4);}
float compand(float x){return x<0.0031308?x*12.92:1.055*pow(x,1.0/2.4)-0.055;}
vec3 to_linear(vec3 s){return vec3(uncompand(s.r),uncompand(s.g),uncompand(s.b));}"""
    quarters = count // 4
    slots = [f"pigment[{i // 4}].{'xyzw'[i % 4]}" for i in range(count)]
    pigment = "".join(f"R=max(0.0001,{band(i)});sum+=R*{number(to_xyz[i][1])};{slots[i]}=ks(R);" for i in range(count))
    vertex = f"""#version 300 es
out vec2 p;uniform vec3 u_color;flat out vec4 pigment[{quarters}];flat out float pigmentLuminance;{linear}
float ks(float x){{float q=1.0-x;return q*q/(2.0*x);}}
void main(){{vec3 v=vec3(-1);v[gl_VertexID]=3.;p=v.xy;gl_Position=vec4(v.x,-v.y,0,1);
vec3 l=to_linear(u_color);{decompose}
float R;float sum=0.0;
{pigment}
pigmentLuminance=sum;}}"""
    mix = "".join(
        f"k=mix({slots[i]},q{i}*q{i}/(2.0*R{i}),share);xyz+=(1.0+k-sqrt(k*k+2.0*k))*{vec3(to_xyz[i])};"
        for i in range(count)
    )
    fragment = f"""#version 300 es
precision highp float;uniform bool u_targetIsFramebuffer;uniform sampler2D u_source;uniform sampler2D u_mask;
flat in vec4 pigment[{quarters}];flat in float pigmentLuminance;in vec2 p;out vec4 outColor;{linear}
void main(){{vec2 uv=0.5*p+0.5;vec2 sourceUV=vec2(uv.x,1.0-uv.y);vec2 maskUV=u_targetIsFramebuffer?sourceUV:uv;
vec4 source=texture(u_source,sourceUV);float paint=texture(u_mask,maskUV).a;
vec2 texelSize=1.0/vec2(textureSize(u_mask,0));float edge=0.0;
for(int i=-2;i<=2;i+=2){{for(int j=-2;j<=2;j+=2){{
float near=texture(u_mask,maskUV+vec2(float(i),float(j))*texelSize).a*15.0;
edge+=smoothstep(0.05,0.35,length(vec2(dFdx(near),dFdy(near))));}}}}
if(paint==0.0){{outColor=source;return;}}
float f=clamp(paint+edge/9.0*0.1,0.0,1.0);
vec3 l=to_linear(mix(vec3(1.0),source.rgb,source.a));{decompose}
{"".join(f"float R{i}=max(0.0001,{band(i)});float q{i}=1.0-R{i};" for i in range(count))}
float luminance={"+".join(f"R{i}*{number(to_xyz[i][1])}" for i in range(count))};
float under=(1.0-f)*(1.0-f)*luminance;float over=f*f*pigmentLuminance;float share=under/(under+over);
float k;vec3 xyz=vec3(0.0);{mix}
vec3 rgb=vec3(dot(vec3(3.2409699419045200,-1.537383177570090,-0.4986107602930030),xyz),
dot(vec3(-0.9692436362808790,1.875967501507720,0.0415550574071756),xyz),
dot(vec3(0.0556300796969936,-0.203976958888976,1.0569715142428700),xyz));
outColor=vec4(clamp(vec3(compand(rgb.r),compand(rgb.g),compand(rgb.b)),0.0,1.0),1.0);}}"""
    return vertex, fragment


def _replace(source: str, old: str, new: str) -> str:
    if source.count(old) != 1:
        raise UsageError(f"p5.brush has {source.count(old)} times `{old[:40]}...` where one was expected; run `npm ci`")
    return source.replace(old, new)


def faster_brush(source: str, changes: tuple[str, ...] = CHANGES) -> str:
    """``source``, the text of p5.brush 2.2.2, with those of the changes above that are named in ``changes``.

    Raises:
        UsageError: the file is not the one the changes were written for.
    """
    found = hashlib.sha256(source.encode()).hexdigest()
    if found != BRUSH_SHA256:
        raise UsageError(
            f"p5.brush.js has checksum {found[:12]} instead of {BRUSH_SHA256[:12]}, so pictures would differ; "
            "run `npm ci` in wclib/js to restore it"
        )
    if "shader" in changes:
        vertex, fragment = _shaders(source)
        source = _VERTEX.sub(lambda _: f"`{vertex}`", source, count=1)
        source = _FRAGMENT.sub(lambda _: f"`{fragment}`", source, count=1)
    if "outlines" in changes:
        source = _replace(
            source, "l=u=d,h=f=g,r.moveTo(m.x,m.y);", "l=u=d,h=f=g,r.moveTo(m.x,m.y);let lastX=d,lastY=g;"
        )
        source = _replace(
            source,
            "f=Math.max(f,g),r.lineTo(m.x,m.y)}",
            f"f=Math.max(f,g),Math.abs(d-lastX)+Math.abs(g-lastY)>{NEAR}&&(r.lineTo(m.x,m.y),lastX=d,lastY=g)}}",
        )
    if "draws" in changes:
        source = _replace(
            source,
            "return()=>{e=e+1831565813|0;let t=Math.imul(e^e>>>15,1|e);"
            "return t^=t+Math.imul(t^t>>>7,61|t),2.3283064365386963e-10*((t^t>>>14)>>>0)}}",
            "const next=()=>{e=e+1831565813|0;let t=Math.imul(e^e>>>15,1|e);"
            "return t^=t+Math.imul(t^t>>>7,61|t),2.3283064365386963e-10*((t^t>>>14)>>>0)};"
            "next.skip=n=>{e=e+Math.imul(1831565813,n)|0};return next}",
        )
        source = _replace(
            source,
            "w=(t=0,e=1)=>t+d()*(e-t)",
            "w=Object.assign((t=0,e=1)=>t+d()*(e-t),{skip:t=>d.skip(t)})",
        )
        source = _replace(
            source,
            "for(let e=0;e<i;e++){const n=r[e];t<997&&(p=n),"
            "p>=.05&&(w(-1,1),u[~~(w(0,1)*f)],w(.65,1.35),m[~~(w(0,1)*d)])}",
            "let wet=0;if(t<997)for(let e=0;e<i;e++)r[e]>=.05&&wet++;else p>=.05&&(wet=i);w.skip(4*wet);",
        )
    if "uploads" in changes:
        source = _replace(
            source,
            "Kr&&Kr.width===c&&Kr.height===l||(Kr=st(c,l));const h=Kr.drawingContext;"
            "return h.clearRect(0,0,c,l),h.drawImage(e,a.minX,a.minY,c,l,0,0,c,l),i(o),",
            "return i(o),s.pixelStorei(s.UNPACK_SKIP_PIXELS,a.minX),s.pixelStorei(s.UNPACK_SKIP_ROWS,a.minY),",
        )
        source = _replace(
            source,
            "s.texSubImage2D(s.TEXTURE_2D,0,a.minX,a.minY,s.RGBA,s.UNSIGNED_BYTE,Kr),o}",
            "s.texSubImage2D(s.TEXTURE_2D,0,a.minX,a.minY,c,l,s.RGBA,s.UNSIGNED_BYTE,e),"
            "s.pixelStorei(s.UNPACK_SKIP_PIXELS,0),s.pixelStorei(s.UNPACK_SKIP_ROWS,0),o}",
        )
    return source
