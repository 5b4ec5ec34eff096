// Own kernels for scripts/lowering_table.py: what indices, guards, copies and uniform values become.
extern "C" __global__ void k_copy(float*a,const float*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=b[i];}
extern "C" __global__ void k_axpy(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]+=s*b[i];}
extern "C" __global__ void k_scale(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=s*b[i];}
extern "C" __global__ void k_poly(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float x=b[i];a[i]=((x*0.5f+1.5f)*x+2.5f)*x+s;}}
extern "C" __global__ void k_poly8(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float x=b[i];a[i]=((((((((x*0.51f+1.51f)*x+2.52f)*x+s)*x+0.11f)*x+0.22f)*x+0.33f)*x+0.44f)*x+0.55f)*x;}}
extern "C" __global__ void k_int1(int*a,const int*b,int n,int s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=b[i]+s;}
extern "C" __global__ void k_int4(int*a,const int*b,int n,int s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){int x=b[i];a[i]=((x+s)^(x>>3))+((x&s)|(x<<5));}}
extern "C" __global__ void k_sel(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float x=b[i];a[i]=x>s?1.5f:2.5f;}}
extern "C" __global__ void k_br(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float x=b[i]; if(x>s) a[i]=1.5f; else b[i]>0? a[i+n]=x:a[i+1]=s;}}
extern "C" __global__ void k_st2(float*a,float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){a[i]=1.0f;b[i]=2.0f;}}
extern "C" __global__ void k_dbl(double*a,const double*b,int n,double s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=s*b[i]+0.1;}
extern "C" __global__ void k_dblp(double*a,const double*b,int n,double s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){double x=b[i];a[i]=((x*0.5+1.1)*x+2.7)*x+s;}}
extern "C" __global__ void k_loop(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;float t=0;for(int j=0;j<n;j++)t+=b[j*n+i];a[i]=t;}
extern "C" __global__ void k_loop2(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;float t=0;for(int j=0;j<n;j++)t+=b[i*n+j]*a[j];a[i]=t;}
extern "C" __global__ void k_sten(float*a,const float*b,int n,int m){int i=blockIdx.x*blockDim.x+threadIdx.x;int j=blockIdx.y*blockDim.y+threadIdx.y; if(i>0&&i<n-1&&j>0&&j<m-1){a[j*n+i]=0.25f*(b[j*n+i-1]+b[j*n+i+1]+b[(j-1)*n+i]+b[(j+1)*n+i]);}}
extern "C" __global__ void k_st2d(float*a,const float*b,int n,int m){int i=blockIdx.x*blockDim.x+threadIdx.x;int j=blockIdx.y*blockDim.y+threadIdx.y; if(i<n&&j<m)a[i*m+j]=b[j*n+i];}
extern "C" __global__ void k_exp(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=expf(b[i]);}
extern "C" __global__ void k_sqrt(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=sqrtf(b[i]);}
extern "C" __global__ void k_div(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=a[i]/b[i];}
extern "C" __global__ void k_shm(float*a,const float*b,int n,float s){__shared__ float t[256];int i=blockIdx.x*blockDim.x+threadIdx.x;t[threadIdx.x]=b[i];__syncthreads();for(int k=128;k>0;k>>=1){if(threadIdx.x<k)t[threadIdx.x]+=t[threadIdx.x+k];__syncthreads();} if(threadIdx.x==0)a[blockIdx.x]=t[0];}
extern "C" __global__ void k_atom(int*a,const int*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)atomicAdd(&a[b[i]],1);}
extern "C" __global__ void k_zero(float*a,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=0;}
extern "C" __global__ void k_iota(int*a,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=i;}
extern "C" __global__ void k_bytes(unsigned char*a,const unsigned char*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=b[i]+3;}
extern "C" __global__ void k_rsel(float4*a,const float4*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float4 v=b[i];v.x*=2;v.y+=v.x;v.z-=v.y;v.w=0;a[i]=v;}}
extern "C" __global__ void k_gs(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;for(;i<n;i+=blockDim.x*gridDim.x)a[i]=b[i]*s;}
extern "C" __global__ void k_idx64(float*a,const float*b,long n,float s){long i=(long)blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=b[i]*s;}
extern "C" __global__ void k_idx64u(float*a,const float*b,size_t n,float s){size_t i=(size_t)blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=b[i]*s;}
extern "C" __global__ void k_idxu(float*a,const float*b,unsigned n,float s){unsigned i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=b[i]*s;}
extern "C" __global__ void k_mod(float*a,const float*b,int n,int w){int i=blockIdx.x*blockDim.x+threadIdx.x;int x=i%w,y=i/w;if(i<n)a[y+x*n]=b[i];}
extern "C" __global__ void k_cond(float*a,const float*b,int n,float s){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i>=n)return; if(i==0||i==n-1){a[i]=0;return;} a[i]=b[i-1]+b[i+1];}
#define P float*__restrict__ a,const float*__restrict__ b,const int n,const int m
#define G int i=blockIdx.x*blockDim.x+threadIdx.x;
extern "C" __global__ void u1(P){G a[i]=b[n];}
extern "C" __global__ void u2(P){G a[i]=b[n*m+n];}
extern "C" __global__ void u3(P){G a[i]=b[blockIdx.x];}
extern "C" __global__ void u4(P){G a[i]=b[blockIdx.x*n+m];}
extern "C" __global__ void u5(P){G float s=0; for(int j=0;j<n;j++) s+=b[j]; a[i]=s;}
extern "C" __global__ void u6(P){G float s=0; for(int j=0;j<n;j++) s+=b[j*m]; a[i]=s;}
extern "C" __global__ void u7(P){G float s=0; for(int j=0;j<n;j++) s+=b[j*m+i]; a[i]=s;}
extern "C" __global__ void u8(P){G int k=blockIdx.y*m; if(i<n) a[k+i]=b[k+i];}
extern "C" __global__ void u9(P){G if(i<n-1-m) a[i]=b[i]; }
extern "C" __global__ void u10(P){G int s=n*m; int t=n/2; if(i<s) a[i]=b[i+t]; }
extern "C" __global__ void s1(float*__restrict__ a,const float*__restrict__ b,int L,int M,int N){
 int i=blockIdx.x*blockDim.x+threadIdx.x,j=blockIdx.y*blockDim.y+threadIdx.y,k=blockIdx.z*blockDim.z+threadIdx.z;
 if(i>0&&j>0&&k>0&&i<N-1&&j<M-1&&k<L-1) a[(k*M+j)*N+i]=b[(k*M+j+1)*N+i]+b[(k*M+j-1)*N+i]+b[((k+1)*M+j)*N+i]+b[((k-1)*M+j)*N+i]+b[(k*M+j)*N+i+1]+b[(k*M+j)*N+i-1]; }
extern "C" __global__ void s2(float*__restrict__ a,const float*__restrict__ b,int L,int M,int N){
 int i=blockIdx.x*blockDim.x+threadIdx.x,j=blockIdx.y*blockDim.y+threadIdx.y,k=blockIdx.z*blockDim.z+threadIdx.z;
 if(i>3&&j>3&&k>3&&i<N-4&&j<M-4&&k<L-4) a[k*M*N+j*N+i]=b[k*M*N+(j+1)*N+i]+b[k*M*N+(j-1)*N+i]+b[k*M*N+(j+2)*N+i]+b[k*M*N+(j-2)*N+i]+b[k*M*N+(j+3)*N+i]+b[k*M*N+(j-3)*N+i]; }
extern "C" __global__ void s3(float*__restrict__ a,const float*__restrict__ b,int L,int M,int N){
 int i=blockIdx.x*blockDim.x+threadIdx.x,j=blockIdx.y*blockDim.y+threadIdx.y,k=blockIdx.z*blockDim.z+threadIdx.z;
 int p=k*M*N+j*N+i; if(i<N) a[p]=b[p+N]+b[p-N]+b[p+2*N]+b[p-2*N]+b[p+M*N]+b[p-M*N]+b[p+2*M*N]; }
#define U(i,j,k) b[base+(i)+ni*(j)+nij*(k)]
extern "C" __global__ void s4(float*__restrict__ a,const float*__restrict__ b,int i0,int i1,int j0,int j1,int k0,int k1){
 int i=blockIdx.x*blockDim.x+threadIdx.x,j=blockIdx.y*blockDim.y+threadIdx.y,k=blockIdx.z*blockDim.z+threadIdx.z;
 const int ni=i1-i0+1,nij=ni*(j1-j0+1),base=-(i0+ni*j0+nij*k0);
 if(i<ni) a[base+i+ni*j+nij*k]=U(i-2,j,k)+U(i+1,j,k)+U(i,j-1,k)+U(i,j+1,k)+U(i-1,j-2,k)+U(i+1,j+2,k)+U(i,j,k+1)+U(i,j-1,k-1)+U(i,j+1,k-1)+U(i,j+1,k+1); }
extern "C" __global__ void s5(float*__restrict__ a,const float*__restrict__ b,int n){
 int i=blockIdx.x*blockDim.x+threadIdx.x,j=blockIdx.y*blockDim.y+threadIdx.y;
 a[i*n+j]=b[i*n+j]+b[(i+1)*n+j]+b[i*n+j+1]+b[(i+1)*n+j+1]; }
extern "C" __global__ void s6(float*__restrict__ a,const float*__restrict__ b,const float*__restrict__ c){
 int x=blockIdx.x*blockDim.x+threadIdx.x,y=blockIdx.y*blockDim.y+threadIdx.y,z=blockIdx.z*blockDim.z+threadIdx.z;
 if(x==0) a[(0*100+y)*100+z]=-1; else if(x==99) a[(99*100+y)*100+z]=-1; else if(y==0) a[(x*100)*100+z]=-1; else if(y==99) a[(x*100+99)*100+z]=-1; else if(z==0) a[(x*100+y)*100]=-1; else if(z==99) a[(x*100+y)*100+99]=-1; }
extern "C" __global__ void s7(float*__restrict__ a,const float*__restrict__ b,int n){
 int i=blockIdx.x*blockDim.x+threadIdx.x,j=blockIdx.y*blockDim.y+threadIdx.y; float t[9];
 for(int u=0;u<3;u++)for(int v=0;v<3;v++){int x=i-1+u,y=j-1+v; t[u*3+v]=(x>=0&&x<512&&y>=0&&y<512)?b[x*512+y]:0.f;}
 float s=0;for(int u=0;u<9;u++)s+=t[u]*t[(u+1)%9]; a[i*512+j]=s; }
